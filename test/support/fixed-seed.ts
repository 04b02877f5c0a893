import fc from 'fast-check';

// Every run tries the same cases, so that a red run can be had again; `FC_SEED` tries others.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['FC_SEED'] ?? 20_261_121) });

import { ErrorBody, noBody } from '../../contract/bodies.ts';
import { DiagnosticsQuery, DiagnosticsReport, Health } from '../../contract/diagnostics.ts';
import { AppError } from '../../contract/errors.ts';
import type { Feature } from '../http/feature.ts';
import type { Reporter } from './report.ts';

/** What the routes need. */
export interface DiagnosticsDeps {
  readonly enabled: boolean;
  readonly reporter: Pick<Reporter, 'basic' | 'full'>;
  /** Whether the engine runs: modules loaded, flows where they were told to be. */
  isReady(): boolean;
}

/** `/diagnostics` and the health checks. */
export const diagnosticsRoutes =
  (deps: DiagnosticsDeps): Feature =>
  async (app) => {
    app.get(
      '/diagnostics',
      {
        schema: {
          querystring: DiagnosticsQuery,
          response: { 200: DiagnosticsReport, 401: noBody('Not authorized'), 403: ErrorBody },
        },
        // The report is made field by field; the choices in its schema would make a serialiser of it the slower one.
        serializerCompiler: () => JSON.stringify,
        config: { needs: 'settings.read', summary: 'The runtime diagnostics report', volatile: true },
      },
      (request) => {
        if (!deps.enabled) throw new AppError('diagnostics.disabled');
        return request.query.scope === 'full' ? deps.reporter.full() : deps.reporter.basic();
      },
    );

    app.get(
      '/health/live',
      {
        schema: { response: { 200: Health } },
        config: { needs: 'open', volatile: true, summary: 'Whether the control plane answers' },
      },
      () => ({ status: 'live' }),
    );

    app.get(
      '/health/ready',
      {
        schema: { response: { 200: Health, 503: Health } },
        config: { needs: 'open', volatile: true, summary: 'Whether the engine runs' },
      },
      async (_request, reply) => {
        const ready = deps.isReady();
        reply.code(ready ? 200 : 503);
        return { status: ready ? 'ready' : 'not ready' };
      },
    );
  };

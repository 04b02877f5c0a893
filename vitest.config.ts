import { defineConfig } from 'vitest/config';

// Tests start real servers; two at a time is what a small machine bears, with generous limits.
const limits = {
  pool: 'forks' as const,
  testTimeout: 180_000,
  hookTimeout: 300_000,
  setupFiles: ['test/support/fixed-seed.ts'],
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...limits, name: 'unit', include: ['src/**/*.test.ts', 'test/unit/**/*.test.ts'] } },
      {
        test: {
          ...limits,
          name: 'system',
          // Real processes and browsers on a machine that others use as well: once more before it counts as red.
          retry: 1,
          include: ['test/{contract,fault,e2e,compat}/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
    ],
  },
});

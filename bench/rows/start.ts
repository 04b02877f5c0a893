import type { Group } from '../row.ts';
import { answers } from '../systems.ts';
import { memoryRow } from './memory.ts';

const flows = [
  { id: 'tab', type: 'tab', label: 'ready' },
  { id: 'in', type: 'http in', z: 'tab', x: 1, y: 1, url: '/ready', method: 'get', wires: [['out']] },
  { id: 'out', type: 'http response', z: 'tab', x: 1, y: 1, statusCode: '200', wires: [] },
];

/** From spawn to the first answers, and the memory at rest of all processes. */
export const startGroup: Group = {
  name: 'start',
  setup: { flows },
  rows: [
    {
      name: 'spawn → first answer of the admin API',
      unit: 'ms',
      goal: 0.5,
      measure: async (system) => ({ value: system.firstAnswerMs }),
    },
    {
      name: 'spawn → flows running',
      unit: 'ms',
      goal: 0.8,
      async measure(system) {
        await answers(`${system.url}/ready`);
        return { value: performance.now() - system.spawnedAt };
      },
    },
    memoryRow('memory at rest (PSS of all processes)', 1),
  ],
};

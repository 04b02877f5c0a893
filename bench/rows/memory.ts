import type { Group, Row } from '../row.ts';
import { memoryMb } from '../systems.ts';
import { tenThousand } from './deploy.ts';

/** The memory of all processes after five seconds of rest. */
export function memoryRow(name: string, goal: number): Row {
  return {
    name,
    unit: 'MB',
    goal,
    async measure(system) {
      await new Promise((resolve) => setTimeout(resolve, 5000));
      return { value: memoryMb(system.pids()) };
    },
  };
}

/** The memory that large flows take. */
export const memoryGroup: Group = {
  name: 'memory',
  setup: { flows: tenThousand },
  rows: [memoryRow('memory at rest with 10,000 nodes', 0.7)],
};

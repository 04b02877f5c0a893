import type { InstallProgress } from '../../modules/packages.ts';

/** Shows open editors how an installation goes on, as their event log has it: `event-log/<id>`. */
export function publishProgress(comms: {
  publish(topic: string, data: unknown): void;
}): (progress: InstallProgress) => void {
  return (progress) => {
    const topic = `event-log/${progress.id}`;
    const line = { ts: Date.now(), data: progress.text };
    switch (progress.is) {
      case 'start':
        comms.publish(topic, line);
        break;
      case 'output':
        comms.publish(topic, { ...line, type: progress.from });
        break;
      case 'end':
        comms.publish(topic, { ...line, end: true });
        break;
      default:
        progress satisfies never;
    }
  };
}

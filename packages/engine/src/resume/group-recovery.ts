import { MessageChannel } from 'node:worker_threads';
import type { DatasetPaths, FrozenTools } from '@data-designer/dataset';
import { Journal, serveDryReplay } from '@data-designer/gateway';
import { folderJournal } from '@data-designer/dataset/journal';
import type { GroupRecovery } from '../executor/executor.ts';

/**
 * Recovers row groups from their journals on disk, which hold every answer before a worker gets it. A failed cell is
 * written to a journal segment of its own, as the gateway may have the journal open.
 */
export function journalRecovery({ journal }: Pick<DatasetPaths, 'journal'>, tools: FrozenTools): GroupRecovery {
  return {
    failedCells: async (group) => (await folderJournal(journal(group)).read()).failedCells,
    async replay(group) {
      const { entries } = await folderJournal(journal(group)).read();
      const { port1, port2 } = new MessageChannel();
      serveDryReplay(port1, { entries, tools });
      return port2;
    },
    async failCell(group, cell) {
      const opened = Journal.open(folderJournal(journal(group)));
      try {
        await opened.failCell(cell);
      } finally {
        await opened.close({ keep: true });
      }
    },
  };
}

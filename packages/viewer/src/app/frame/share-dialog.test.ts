import { expect, test } from 'vitest';
import { shareCommands } from './share-dialog.tsx';

test('the commands that share a dataset name its folder', () => {
  const commandsOf = (path: string): readonly string[] => shareCommands(path).map(([, command]) => command);
  expect(commandsOf('/data/facts')).toEqual([
    'data-designer view /data/facts --bundle site',
    'data-designer report /data/facts --html report.html',
    'data-designer show /data/facts -n 20 --html records.html',
    '/data/facts',
  ]);
  expect(commandsOf('/data/my facts')[0]).toBe('data-designer view "/data/my facts" --bundle site');
});

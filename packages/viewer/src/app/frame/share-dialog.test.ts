import { expect, test } from 'vitest';
import { shareCommands } from './share-dialog.tsx';

test('the commands that share a dataset name its folder', () => {
  expect(shareCommands('/data/facts').map(([, command]) => command)).toEqual([
    'data-designer view /data/facts --bundle site',
    'data-designer report /data/facts --html report.html',
    'data-designer show /data/facts -n 20 --html records.html',
    '/data/facts',
  ]);
  const [[, spaced] = []] = shareCommands('/data/my facts');
  expect(spaced).toBe('data-designer view "/data/my facts" --bundle site');
});

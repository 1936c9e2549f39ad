import { expect, test } from 'vitest';
import { shareCommands } from './share-dialog.tsx';

test('the commands that share a dataset name its folder', () => {
  expect(shareCommands('/data/facts').map(([, command]) => command)).toEqual([
    'data-designer view /data/facts --bundle site',
    'data-designer report /data/facts --html report.html',
    'data-designer show /data/facts -n 20 --html records.html',
    '/data/facts',
  ]);
});

test.each([
  ['/data/my facts', "'/data/my facts'"],
  ['/data/"$HOME" `id`', '\'/data/"$HOME" `id`\''],
  ["/data/Ann's", String.raw`'/data/Ann'\''s'`],
])('the folder %s is one word of a shell', (path, word) => {
  const [[, command] = []] = shareCommands(path);
  expect(command).toBe(`data-designer view ${word} --bundle site`);
});

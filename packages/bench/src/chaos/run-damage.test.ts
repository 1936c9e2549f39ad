import { expect, test } from 'vitest';
import { runDamage } from './run-damage.ts';

// The long form is `npm run chaos -- damage`.
const TRIED: Readonly<Record<string, RegExp>> = {
  removed:
    /all\/(parquet-files\/batch_00001|processors-files\/chats\/batch_00000|builder_config|usage)|candidates\/parquet-files\/batch_00001/,
  cut: /selected\/metadata/,
  changed: /all\/(failures|images\/art\/f531|builder_config)|candidates\/parquet-files\/batch_00000/,
  replaced:
    /all\/(parquet-files\/batch_00000|usage|reviews\.copy)|candidates\/(failures|(dropped-columns-)?parquet-files\/batch_00001)/,
  unreadable: /all\/processors-files\/chats\/batch_00000/,
};

test('a damaged file is read as before, made again, or named by each reader and by a resume', async () => {
  const reports = await runDamage({ isTried: (file, damage) => TRIED[damage]?.test(file) ?? false, tell: () => {} });
  expect(reports.length).toBe(17);
  expect(reports.filter(({ faults }) => faults.length > 0)).toEqual([]);
}, 120_000);

import { expect, test } from 'vitest';
import { runDamage } from './run-damage.ts';

// The long form is `npm run chaos -- damage`.
const TRIED: Readonly<Record<string, RegExp>> = {
  removed:
    /all\/(parquet-files\/batch_00001|processors-files\/chats\/batch_00000|builder_config|usage)|candidates\/(parquet-files\/batch_00001|usage)|selected\/(images\/art\/f531|metadata)/,
  cut: /selected\/metadata/,
  changed: /(all|selected)\/images\/art\/f531|all\/(failures|builder_config)|candidates\/parquet-files\/batch_00000/,
  replaced:
    /all\/(parquet-files\/batch_00000|usage|reviews\.copy)|candidates\/(failures|usage|(dropped-columns-)?parquet-files\/batch_00001)|selected\/(selection|parquet-files\/batch_00001)/,
  unreadable: /all\/processors-files\/chats\/batch_00000/,
};

test(
  'a damaged file is read as before, made again, or named by each reader and by a resume',
  { tags: 'long', timeout: 120_000 },
  async () => {
    const reports = await runDamage({ isTried: (file, damage) => TRIED[damage]?.test(file) ?? false, tell: () => {} });
    expect(reports.length).toBe(24);
    expect(reports.filter(({ faults }) => faults.length > 0)).toEqual([]);
  },
);

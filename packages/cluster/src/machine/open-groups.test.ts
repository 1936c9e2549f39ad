import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clusterPaths, datasetPaths } from '@data-designer/dataset';
import type { GroupChannels, RowGroupResult } from '@data-designer/engine/parts';
import type { RunGateway } from '@data-designer/gateway';
import { planOf, sampled } from '../../../engine/test/plan-of.ts';
import { OpenGroups } from './open-groups.ts';

const GROUP = { index: 0, firstRow: 0, rows: 4 };
const NOTHING = { rows: 0, lost: [], cells: {}, failures: [], usage: {}, tools: {}, orphanedImages: [] };
const UNMADE: RowGroupResult = { ...NOTHING, group: GROUP.index, unfinished: GROUP.rows, output: undefined };

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'open-groups-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Groups whose only one asks for permits until its requests are ended; its channel opens once `open` is called. */
async function waiting() {
  const paths = datasetPaths(folder);
  const cluster = clusterPaths(paths, 'a-run');
  for (const path of [cluster.commits, cluster.epochs]) await mkdir(path, { recursive: true });
  const [opening, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isOpen = false;
  const failures: unknown[] = [];
  const gateway: Pick<RunGateway, 'endGroup' | 'closeGroup'> = {
    // The I/O thread does not know a group whose channel is not open.
    endGroup: () => isOpen && ended.resolve(),
    closeGroup: async () => {},
  };
  const groups = new OpenGroups({
    machine: 'a-machine',
    plan: planOf({ columns: [sampled('id', 'uuid', { params: {} })] }),
    format: 'parquet',
    paths,
    cluster,
    groups: [GROUP],
    gateway: gateway as RunGateway,
    local: {
      async *run(_, { open }) {
        await opening.promise;
        open(GROUP.index).close();
        await ended.promise;
        yield UNMADE;
      },
    },
    onCommitted: () => {},
    onFatal: (_, failure) => failures.push(failure),
    onFailed: (failure) => failures.push(failure),
  });
  const open: GroupChannels['open'] = () => {
    isOpen = true;
    return new MessageChannel().port1;
  };
  groups.channels = { open, destination: () => ({ kind: 'nowhere' }), redact: async (value) => value };
  return { groups, failures, made: groups.make(GROUP.index, { mayBegin: true }), open: opening.resolve };
}

test.each([
  ['superseded', (groups: OpenGroups) => groups.supersedeAll()],
  ['given back', (groups: OpenGroups) => groups.giveBack(0)],
])('a group that is %s before its channel opens ends nevertheless', async (_, end) => {
  const { groups, failures, made, open } = await waiting();
  end(groups);
  open();
  expect(await made).toBe(false);
  expect(failures).toEqual([]);
});

import type { FailureCode } from '@data-designer/core';
import type { Explained } from './explained.ts';

/** Errors of runs on several machines. */
export const clusterErrors = {
  'cluster/not-installed': {
    cause: 'A run on a cluster needs packages that `data-designer` does not install by itself.',
    remedy: 'Install them where the command runs: `npm install bullmq ioredis`.',
    example: { missing: ['bullmq', 'ioredis'] },
  },
  'cluster/invalid-connection': {
    cause: 'The value of `--cluster`, or of `cluster.connection`, is not a Redis address.',
    remedy: 'Use an address in one of the forms that the message lists.',
    example: { connection: 'queue:6379', reason: 'it is not a Redis address' },
  },
  'cluster/unreachable': {
    cause: 'Redis does not answer, or refuses the password.',
    remedy: 'Check the address, the password and that the server runs.',
    example: { address: 'queue:6379', reason: 'connect ECONNREFUSED 10.0.0.7:6379' },
  },
  'cluster/evicting': {
    cause: 'Redis is set up as a cache: it deletes keys when its memory is full.',
    remedy: 'Set `maxmemory-policy noeviction`.',
    example: { address: 'queue:6379', policy: 'allkeys-lru' },
  },
  'cluster/old-server': {
    cause: 'The server is older than the queue allows.',
    remedy: 'Use Redis 6.2 or later, or Valkey.',
    example: { address: 'queue:6379', version: '5.0.14', least: '6.2.0' },
  },
  'cluster/not-shared': {
    cause: 'The machine joined with a folder that the coordinator does not see, such as a folder of its own disk.',
    remedy: 'Mount the same shared folder on all machines, and join with its path.',
    example: { path: '/data/facts', host: 'node-7', coordinator: 'node-1' },
  },
  'cluster/lacks': {
    cause:
      'The machine cannot make all cells of the run. It has another version of the package, other code or fewer permissions, or it lacks a provider or a key of the config.',
    remedy:
      'Install the same version and use the same plug-ins, functions and files of providers on all machines. Set the variables that the providers name. Give each machine `--media-root` and `--allow-private` if the run has them.',
    example: {
      path: '/shared/facts',
      lacks: ['the plug-in 1', "the model provider 'acme'", "the variable NOTES_KEY of the tool provider 'notes'"],
    },
  },
  'cluster/no-run': {
    cause: 'No run began in this folder within the time of `--wait`.',
    remedy: 'Check the folder and the machine that creates the dataset, or wait longer.',
    example: { path: '/shared/facts', seconds: 600 },
  },
  'cluster/single-machine': {
    cause:
      'Only the coordinator may run the tools of a column (`single_machine`), but `--no-work` forbids the coordinator to make rows.',
    remedy: 'Leave out `--no-work`, or remove `single_machine` if every machine may have its own sessions.',
    example: { alias: 'browser' },
  },
  'cluster/cannot-lead': {
    cause:
      'The coordinator of a selection or a workflow is lost, and no machine that joined can take its place: the seed rows were not yet written, or the stages are in a program.',
    remedy:
      'Run the command that began the dataset or workflow again, with `--resume always` and the same `--cluster`.',
    example: { path: '/shared/facts', reason: 'The coordinator was lost before it had written the seed rows' },
  },
  'cluster/taken-over': {
    cause:
      'The coordinator was suspended for longer than its lease, and another machine took over. `create` goes on as an ordinary machine; this error is shown only if it cannot.',
    remedy: 'Join the run again; its dataset is intact.',
    example: { path: '/shared/facts' },
  },
  'cluster/handed-over': {
    cause: 'The machine that created the dataset was asked to leave the run (SIGTERM, or the signal `cluster.leave`).',
    remedy: 'Nothing: other machines finish the dataset. To stop the run itself, use Ctrl-C or the signal `drain`.',
    example: { path: '/shared/facts', rows: 1200 },
  },
  'cluster/machines-lost': {
    cause: 'Twenty machines ended while they made the same row group.',
    remedy: 'Check the memory of the machines, then continue with `--resume always`.',
    example: { group: 7, rows: 1000, losses: 20 },
  },
} satisfies Partial<Record<FailureCode, Explained>>;

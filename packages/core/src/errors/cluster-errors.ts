import { closeSentence, permanent } from './failure.ts';

/** Errors of runs on several machines. */
export const clusterErrors = {
  'cluster/not-installed': permanent(
    (d: { missing: readonly string[] }) =>
      `A run on a cluster needs the packages bullmq and ioredis; not installed: ${d.missing.join(', ')}. Install them: npm install bullmq ioredis.`,
  ),
  'cluster/invalid-connection': permanent(
    (d: { connection: string; reason: string }) =>
      `The cluster connection '${d.connection}' cannot be used: ${closeSentence(d.reason)} Use an address such as redis://host:6379, rediss://host:6380, redis+sentinel://host:26379/master, redis+cluster://host:6379 or redis+unix:///run/redis.sock.`,
  ),
  'cluster/unreachable': permanent(
    (d: { address: string; reason: string }) =>
      `Redis at ${d.address} cannot be used: ${closeSentence(d.reason)} Check the address, the password and that the server runs.`,
  ),
  'cluster/evicting': permanent(
    (d: { address: string; policy: string }) =>
      `Redis at ${d.address} has the maxmemory-policy '${d.policy}', which deletes jobs when memory is short. Set it to noeviction.`,
  ),
  'cluster/old-server': permanent(
    (d: { address: string; version: string; least: string }) =>
      `Redis at ${d.address} has version ${d.version}; a cluster needs at least ${d.least}. Use a newer Redis, or Valkey.`,
  ),
  'cluster/not-shared': permanent(
    (d: { path: string; host: string; coordinator: string }) =>
      `The folder ${d.path} on ${d.host} is not the folder that the coordinator ${d.coordinator} writes to. All machines need the same shared folder, such as an NFS mount.`,
  ),
  'cluster/lacks': permanent(
    (d: { path: string; lacks: readonly string[] }) =>
      `This machine cannot join the run on ${d.path}: it lacks ${d.lacks.join(', ')}. Use the same version, code (--plugins, --functions), providers (--providers) and keys (--env-file, or the environment) as the machine that created the run. If the config has functions, join from code.`,
  ),
  'cluster/no-run': permanent(
    (d: { path: string; seconds: number }) =>
      `No run on a cluster has begun in ${d.path} within ${d.seconds} s. Check the folder, and that data-designer create --cluster runs; to wait longer, raise --wait.`,
  ),
  'cluster/single-machine': permanent(
    (d: { alias: string }) =>
      `The tool config '${d.alias}' has single_machine: only the coordinating machine makes rows. With --no-work it makes none, so the run would have no rows. Leave out --no-work (in code: cluster.work).`,
  ),
  'cluster/cannot-lead': permanent(
    (d: { path: string; reason: string }) =>
      `The coordinator of the run on ${d.path} is gone, and this machine cannot take its place: ${closeSentence(d.reason)} Continue the run with data-designer create … --resume always and the same --cluster.`,
  ),
  'cluster/taken-over': permanent(
    (d: { path: string }) =>
      `This machine did not respond for too long, so another machine coordinates the run on ${d.path} now. The dataset is intact; join the run again with data-designer join.`,
  ),
  'cluster/handed-over': permanent(
    (d: { path: string; rows: number }) =>
      `This machine has left the run on ${d.path}, and other machines go on with it. It made ${d.rows} rows.`,
  ),
  'cluster/machines-lost': permanent(
    (d: { group: number; rows: number; losses: number }) =>
      `Row group ${d.group} lost its machine ${d.losses} times. Its ${d.rows} rows are unfinished; their answers are saved. Check the memory of the machines, then resume the dataset (--resume always).`,
  ),
};

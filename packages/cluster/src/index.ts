export { type JoinedRun, joinRun } from './join/join-run.ts';
export type { JoinEvent } from './join/joined-machine.ts';
export { type ClusterMachines, openCluster } from './open-cluster.ts';
export type { ClusterConnection } from './redis/cluster-connection.ts';

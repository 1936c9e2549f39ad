export { type JoinedRun, joinRun, type WorkedRun } from './join/join-run.ts';
export type { JoinedRunEvent, JoinEvent } from './join/join-event.ts';
export type { JoinParts, LostWorkflow } from './join/joined-machine.ts';
export { type ClusterMachines, openCluster } from './open-cluster.ts';
export type { ClusterConnection } from './redis/cluster-connection.ts';
export { refuseIdle } from './single-machine.ts';
export type { WorkflowShare } from './start-record.ts';

export { mostOpenRows } from './admission/last-rows.ts';
export { PortGateway } from './port-gateway.ts';
export { BatchingPort } from './thread/channel-messages.ts';
export {
  BEAT_MS,
  THREAD_START_MS,
  type HeartbeatMemory,
  HeartbeatWatch,
  type NotedCell,
  beat,
  heartbeatMemory,
  noteCell,
  notedCell,
} from './thread/heartbeat.ts';

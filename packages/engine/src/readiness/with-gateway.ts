import { type Gateway, type Plan, type Resource, type StopSignals, untilStopped } from '@data-designer/core';
import { GatewayHost } from '@data-designer/gateway';
import { PortGateway } from '@data-designer/gateway/worker';
import type { ConnectOptions } from '../connect/connect.ts';
import { startModelServers } from '../connect/model-server.ts';

/** How models and tools are reached before a run. */
export type ProbeOptions = StopSignals & Pick<ConnectOptions, 'providers' | 'modelServers' | 'localTools'>;

/**
 * Opens a gateway for some resources of a plan, without a journal, and closes it after `ask`; returns the redacted result.
 * Throws the gateway's start failures (`secret/missing`, `run/provider-failed`) and `run/aborted`.
 */
export async function withGateway<Result>(
  plan: Plan,
  { resources, ask }: { readonly resources: readonly Resource[]; readonly ask: (gateway: Gateway) => Promise<Result> },
  { providers, modelServers, localTools, ...signals }: ProbeOptions,
): Promise<Result> {
  await using servers = await startModelServers({ ...plan, resources }, { providers, modelServers });
  await using host = await GatewayHost.open({ resources, providers: servers.providers, frozen: {} }, { localTools });
  using gateway = new PortGateway(host.openGroup(0, null));
  const asked = Promise.race([ask(gateway), host.lost]);
  return await host.redact(await untilStopped(asked, signals, () => Promise.resolve()));
}

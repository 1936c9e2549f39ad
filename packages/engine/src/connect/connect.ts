import type { Plan, ToolSchema } from '@data-designer/core';
import type { Providers, RunConfig } from '@data-designer/config';
import type { LocalToolProvider } from '@data-designer/mcp';
import type { FrozenTools } from '@data-designer/dataset';
import {
  budgetOf,
  GatewayHost,
  type LastRows,
  type ModelState,
  OfflineGateway,
  type RunGateway,
} from '@data-designer/gateway';
import { listAllTools } from './list-tools.ts';
import { type ModelServer, startModelServers } from './model-server.ts';
import type { RunEvent } from '../run-event.ts';

/** How a plan's models and tools are reached. */
export interface ConnectOptions {
  readonly providers: Providers;
  /** Model providers that are started here when the plan uses them; one of the same name in `providers` wins. */
  readonly modelServers: readonly ModelServer[];
  /** How the limits of endpoints are found; by the usual numbers where null. */
  readonly admission: RunConfig['requestAdmission'];
  /** Whether files that answers point to may be fetched from this machine and its network. */
  readonly allowPrivate: boolean;
  /** Tools that are functions of the calling program, or modules; one of the same name in `providers` gives way. */
  readonly localTools?: readonly LocalToolProvider[] | undefined;
  /** Told what becomes of the outside; must not throw. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Told how models stand, ten times a second at most and only what is new; must not throw. */
  readonly onModels?: ((models: readonly ModelState[]) => void) | undefined;
}

/** What an earlier part of a run leaves to the next. */
interface Before {
  /** Tools as models were told of them. */
  readonly frozen?: FrozenTools | undefined;
  /** What answers have cost, those in the journals included. */
  readonly spentBefore?: number;
  /** Where the run's end is near. */
  readonly last?: LastRows | undefined;
}

/** The gateway of a run and the tools that it starts with; disposing ends servers, sessions and the I/O thread. */
export interface Connection extends AsyncDisposable {
  readonly gateway: RunGateway;
  /** What each tool provider offers now. */
  readonly tools: Readonly<Record<string, readonly ToolSchema[]>>;
}

/** Starts what a plan needs of the outside. */
export async function connect(
  plan: Plan,
  options: ConnectOptions,
  { frozen = {}, spentBefore = 0, last }: Before = {},
): Promise<Connection> {
  if (plan.resources.length === 0) return local();
  const servers = await startModelServers(plan, options);
  let gateway: GatewayHost | undefined;
  const end = async (): Promise<void> => {
    await gateway?.[Symbol.asyncDispose]();
    await servers[Symbol.asyncDispose]();
  };
  try {
    const { onEvent, onModels, localTools } = options;
    const given = {
      resources: plan.resources,
      providers: servers.providers,
      frozen,
      admission: options.admission,
      budget: budgetOf(plan, spentBefore),
      allowPrivate: options.allowPrivate,
      last,
    };
    gateway = await GatewayHost.open(given, { localTools, onEvent, onModels });
    const tools = await listAllTools(plan, gateway, { onEvent });
    return { gateway, tools, [Symbol.asyncDispose]: end };
  } catch (failure) {
    await end();
    throw failure;
  }
}

/** A plan of local columns alone needs nothing of the outside, and no thread for it. */
function local(): Connection {
  const gateway = new OfflineGateway();
  return { gateway, tools: {}, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

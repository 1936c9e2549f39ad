import type { Plan, ToolSchema } from '@data-designer/core';
import type { Providers, RunConfig } from '@data-designer/config';
import type { LocalToolProvider } from '@data-designer/mcp';
import type { FrozenTools } from '@data-designer/dataset';
import {
  budgetOf,
  type ClusterLimits,
  GatewayHost,
  type LastRows,
  type ModelState,
  OfflineGateway,
  type RunGateway,
  type SharedThread,
} from '@data-designer/gateway';
import { listAllTools } from './list-tools.ts';
import { type ModelServer, startModelServers } from './model-server.ts';
import type { RunEvent } from '../run-event.ts';
import type { RunObserver } from '../run-observer.ts';

/** How a plan's models and tools are connected. */
export interface ConnectOptions {
  readonly providers: Providers;
  /** Model providers to start when the plan uses them; one of the same name in `providers` wins. */
  readonly modelServers: readonly ModelServer[];
  /** Settings of the adaptive limits; defaults where null. */
  readonly admission: RunConfig['requestAdmission'];
  /** The number of stdio tool servers that run at the same time; the default if null or absent. */
  readonly maxToolServers?: RunConfig['maxToolServers'] | undefined;
  /** Whether files named by answers may be downloaded from private addresses. */
  readonly allowPrivate: boolean;
  /** Tools that are functions or modules; they win over a provider of the same name. */
  readonly localTools?: readonly LocalToolProvider[] | undefined;
  /** Must not throw. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Receives the changed states of models, at most ten times a second; must not throw. */
  readonly onModels?: ((models: readonly ModelState[]) => void) | undefined;
  readonly observer?: RunObserver | undefined;
  /** The limits that this machine shares with others; absent on one machine. */
  readonly cluster?: ClusterLimits | undefined;
  /** An I/O thread whose limits and budget this run shares with others; by default the run has its own. */
  readonly shared?: SharedThread | undefined;
}

/** What a run knows before it connects. */
interface Before {
  /** The tools as models saw them. */
  readonly frozen?: FrozenTools | undefined;
  /** Whether the tools are listed and checked, which opens sessions; true unless given. */
  readonly listsTools?: boolean;
  /** The cost of all answers so far, journaled ones included. */
  readonly spentBefore?: number;
  /** The last rows of the run. */
  readonly last?: LastRows | undefined;
}

/** The gateway of a run and its tools; disposing ends servers, sessions and the I/O thread. */
export interface Connection extends AsyncDisposable {
  readonly gateway: RunGateway;
  /** The tools that each provider offers now. */
  readonly tools: Readonly<Record<string, readonly ToolSchema[]>>;
}

/** Starts model servers and the gateway that a plan needs. */
export async function connect(
  plan: Plan,
  options: ConnectOptions,
  { frozen = {}, listsTools = true, spentBefore = 0, last }: Before = {},
): Promise<Connection> {
  if (plan.resources.length === 0) {
    // A plan of local columns alone needs no I/O thread.
    const offline = new OfflineGateway();
    return { gateway: offline, tools: {}, [Symbol.asyncDispose]: () => offline[Symbol.asyncDispose]() };
  }
  const servers = await startModelServers(plan, options);
  let gateway: GatewayHost | undefined;
  const end = async (): Promise<void> => {
    await gateway?.[Symbol.asyncDispose]();
    await servers[Symbol.asyncDispose]();
  };
  try {
    const { onEvent, observer, localTools, cluster, shared } = options;
    const onModels = (models: readonly ModelState[]): void => {
      options.onModels?.(models);
      observer?.onModels?.(models);
    };
    // Few plans have tools, and fewer have files of them.
    const hasFiles = servers.providers.tools.some(({ toolsFile }) => toolsFile !== undefined);
    const files = hasFiles ? await (await import('./tools-file.ts')).readToolsFiles(plan, servers.providers) : [];
    const filed = Object.fromEntries(files.map(({ provider, tools }) => [provider, tools]));
    const given = {
      resources: plan.resources,
      providers: servers.providers,
      frozen: { ...filed, ...frozen },
      toolsFiles: files.map(({ tools: _, ...file }) => file),
      admission: options.admission,
      maxToolServers: options.maxToolServers,
      budget: budgetOf(plan, spentBefore),
      allowPrivate: options.allowPrivate,
      last,
    };
    const listeners = { onEvent, onModels, onCalls: observer?.onCalls };
    gateway = await GatewayHost.open(given, { localTools, ...listeners, cluster, shared });
    const tools = listsTools ? await listAllTools(plan, gateway, { onEvent, filed }) : frozen;
    return { gateway, tools, [Symbol.asyncDispose]: end };
  } catch (failure) {
    await end();
    throw failure;
  }
}

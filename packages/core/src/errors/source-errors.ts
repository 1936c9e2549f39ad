import { printNames } from '../violation.ts';
import { closeSentence, type Failure, permanent, transient } from './failure.ts';

/** Errors of tools, seeds, collections and the Hugging Face Hub. */
export const sourceErrors = {
  'tool/unavailable': permanent((d: { provider: string; reason: string; remedy?: string }) =>
    `The tool provider '${d.provider}' cannot be used: ${closeSentence(d.reason)} ${d.remedy ?? ''}`.trimEnd(),
  ),
  'tool/invalid': permanent(
    (d: { tool: string; reason: string }) =>
      `The tool '${d.tool}' cannot be used: ${closeSentence(d.reason)} Correct its definition.`,
  ),
  'tool/never-answered': permanent(
    (d: { provider: string; calls: number; reason: string }) =>
      `The tool provider '${d.provider}' has answered none of its first ${d.calls} calls: ${closeSentence(d.reason)} Correct its server, and resume the dataset (--resume always).`,
  ),
  'tool/call-failed': permanent(
    (d: {
      column: string;
      reason: string;
      /** Whether the failure ends the run, as its tool config says. */
      endsRun?: true;
    }) => `Column '${d.column}': ${closeSentence(d.reason)}`,
  ),
  'tool/unknown': permanent(
    (d: {
      alias: string;
      tools: readonly string[];
      providers: readonly string[];
      /** The tools that the providers offer. */
      offered?: readonly string[];
      /** The most similar offered name for each missing one, if any is similar. */
      nearest?: Readonly<Record<string, string>>;
    }) => {
      const meant = (tool: string) => (d.nearest?.[tool] ? `${tool} (did you mean '${d.nearest[tool]}'?)` : tool);
      return `Tool config '${d.alias}' allows ${d.tools.map(meant).join(', ')}, but none of its providers (${d.providers.join(', ')}) offers ${d.tools.length === 1 ? 'this tool' : 'these tools'}.${d.offered === undefined ? '' : ` ${d.offered.length === 0 ? 'They offer no tools.' : `Offered: ${printNames(d.offered)}.`}`} Correct 'allow_tools'.`;
    },
  ),
  'tool/not-offered': permanent(
    (d: {
      column: string;
      alias: string;
      tools: readonly {
        readonly name: string;
        /** The most similar offered name, if any is similar. */
        readonly nearest?: string | undefined;
        /** The full names of the tools that it may mean. */
        readonly meanings?: readonly string[];
      }[];
    }) => {
      const said = d.tools.map(({ name, nearest, meanings }) => {
        if (meanings)
          return `several providers have '${name}', write ${meanings.map((one) => `'${one}'`).join(' or ')}`;
        return `'${name}' is unknown${nearest === undefined ? '' : `, did you mean '${nearest}'?`}`;
      });
      return `Column '${d.column}': 'allow_tools' names tools that '${d.alias}' does not offer under these names: ${closeSentence(said.join('; '))}`;
    },
  ),
  'tool/too-many': permanent(
    (d: { alias: string; model: string; tools: number; most: number }) =>
      `Tool config '${d.alias}' allows ${d.tools} tools, but the endpoint of model '${d.model}' takes at most ${d.most} in a request. Allow fewer in 'allow_tools', or set 'request_rules' of the model's provider if its endpoint takes more (vllm has no limit).`,
  ),
  'tool/duplicate': permanent(
    (d: {
      alias: string;
      tool: string;
      providers: readonly string[];
      /** Further tools with several providers. */
      others?: readonly { readonly tool: string; readonly providers: readonly string[] }[];
    }) => {
      const offered = [d, ...(d.others ?? [])].map((one) => `'${one.tool}' by ${one.providers.join(' and ')}`);
      return `Tool config '${d.alias}': more than one provider offers the same tool: ${offered.join('; ')}. Give each provider its own 'tool_prefix' (toolPrefix), or use two tool configs.`;
    },
  ),
  'seed/unreadable': permanent(
    (d: { source: string; reason: string; remedy?: string }) =>
      `Cannot read the seed rows of ${d.source}: ${d.reason}. ${d.remedy ?? 'Correct the seed and start again.'}`,
  ),
  'collection/not-installed': permanent(
    (d: { collection: string; reason: string; remedy: string }) =>
      `The collection '${d.collection}' was not installed: ${d.reason}. ${d.remedy}`,
  ),
  'collection/unavailable': permanent(
    (d: { source: string; reason: string; remedy: string }) =>
      `Persona collections cannot be installed from ${d.source}: ${d.reason}. ${d.remedy}`,
  ),
  'benchmark/unreadable': permanent(
    (d: { path: string; reason: string; remedy?: string }) =>
      `Cannot use the benchmark ${d.path}: ${closeSentence(d.reason)} ${d.remedy ?? 'Correct the file or the path.'}`,
  ),
  'hub/missing': permanent(
    (d: { where: string; part: 'dataset' | 'revision' | 'folder' | 'file'; name: string; remedy: string }) =>
      `${d.where} has no ${d.part} '${d.name}'. ${d.remedy}`,
  ),
  'hub/unauthorized': permanent(
    (d: { dataset: string; status: number; reason: string; remedy: string }) =>
      `The Hub denies access to the dataset '${d.dataset}' (status ${d.status}): ${d.reason}. ${d.remedy}`,
  ),
  'hub/refused': permanent(
    (d: { path: string; reason: string; remedy: string }) =>
      `The Hub seed '${d.path}' was not downloaded: ${d.reason}. ${d.remedy}`,
  ),
  'hub/unreachable': transient(
    (d: { address: string; reason: string; retryAfterMs: number | undefined }) =>
      `The request to ${d.address} failed: ${d.reason}. Check the endpoint and the network, then start again; completed files are kept.`,
  ),
  'hub/not-pushed': permanent(
    (d: { dataset: string; reason: string; remedy: string }) =>
      `Cannot push to the Hub dataset '${d.dataset}': ${closeSentence(d.reason)} ${d.remedy}`,
  ),
  'hub/damaged': transient(
    (d: { file: string; reason: string }) =>
      `The Hub file '${d.file}' was damaged in transfer: ${d.reason}. Start again; completed files are kept.`,
  ),
} as const satisfies Record<string, Failure<never>>;

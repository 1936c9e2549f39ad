import { checkOptions, oneOf, optionRule, type OptionRules } from '@data-designer/config';
import { type ServeOptions, serveTools as serve, type ToolDefinition, type ToolServer } from '@data-designer/mcp';

const { any, amount, callback, list, text } = optionRule;

const RULES: OptionRules<ServeOptions> = {
  name: { ...text, required: true },
  version: { ...text, required: true },
  transport: { ...oneOf('a transport', ['stdio', 'sse', 'streamable_http']), required: true },
  instructions: text,
  readResource: callback,
  port: any,
  host: text,
  allowedHosts: list,
  token: text,
  idleMs: amount,
};

/**
 * Serves tools over MCP; resolves with the server once it is ready. Over stdio the server ends with stdin, and other output
 * of the process goes to stderr. Throws `config/invalid`, `tool/invalid` and `environment/cannot-listen`.
 */
export async function serveTools(tools: readonly ToolDefinition[], options: ServeOptions): Promise<ToolServer> {
  checkOptions(options, RULES, 'serveTools()');
  return serve(tools, options);
}

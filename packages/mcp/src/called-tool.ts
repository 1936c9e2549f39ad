import type { OfferedTool, ToolCatalog } from './tool-catalog.ts';

/** The catalogue's own name of the tool that a call means. */
export interface CalledTool {
  readonly name: string;
  /** The tool, if it may be called. */
  readonly tool: OfferedTool | undefined;
}

/**
 * The tool that a model means with a name: the name of the request, or if only one tool fits, hidden ones included, the name
 * that its server gives it, with the name of its provider or `functions` before it, or the same in other case.
 */
export function calledTool(written: string, { tools, hidden }: ToolCatalog): CalledTool {
  if (tools.has(written) || hidden.has(written)) return { name: written, tool: tools.get(written) };
  const all = [...tools, ...hidden];
  const wanted = written.trim();
  for (const fits of [isOwnName, isPrefixedName, isOtherCase]) {
    const found = all.filter(([name, tool]) => fits(wanted, name, tool));
    const [first] = found;
    if (first !== undefined) return found.length === 1 ? { name: first[0], tool: tools.get(first[0]) } : none(written);
  }
  return none(written);
}

function none(name: string): CalledTool {
  return { name, tool: undefined };
}

function isOwnName(wanted: string, name: string, tool: OfferedTool): boolean {
  return wanted === name || wanted === tool.fullName || wanted === tool.name;
}

/** Prefixes that some models and clients write before the name of a tool. */
function isPrefixedName(wanted: string, name: string, tool: OfferedTool): boolean {
  const owners = [tool.provider, `mcp__${tool.provider}`, 'functions'];
  const prefixes = owners.flatMap((owner) => ['__', '.', ':', '/'].map((mark) => `${owner}${mark}`));
  return prefixes.some((prefix) => wanted.startsWith(prefix) && isOwnName(wanted.slice(prefix.length), name, tool));
}

function isOtherCase(wanted: string, name: string, tool: OfferedTool): boolean {
  const lower = wanted.toLowerCase();
  return [name, tool.fullName, tool.name].some((own) => own.toLowerCase() === lower);
}

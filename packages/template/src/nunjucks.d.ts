declare module 'nunjucks/src/parser.js' {
  interface Token {
    readonly type: string;
    readonly value: string;
    readonly lineno: number;
    readonly colno: number;
  }

  interface TokenSource {
    nextToken(): Token;
  }

  class Parser {
    constructor(tokens: TokenSource);
    breakOnBlocks: readonly string[] | null;
    nextToken(withWhitespace?: boolean): Token;
    peekToken(): Token;
    pushToken(token: Token): void;
    fail(reason: string, lineno?: number, colno?: number): never;
    skip(type: string): boolean;
    expect(type: string): Token;
    skipValue(type: string, value: string): boolean;
    skipSymbol(name: string): boolean;
    parseNodes(): unknown[];
    parseStatement(): unknown;
    parseUntilBlocks(...names: string[]): { readonly children: unknown[] };
    parseAsRoot(): { readonly children: unknown[] };
    parseExpression(): unknown;
    parseOr(): unknown;
    parseAnd(): unknown;
    parseNot(): unknown;
    parseCompare(): unknown;
    parseConcat(): unknown;
    parseAdd(): unknown;
    parseMul(): unknown;
    parsePow(): unknown;
    parseUnary(noFilters?: boolean): unknown;
    parsePrimary(): unknown;
    parsePostfix(node: unknown): unknown;
    parseFilter(node: unknown): unknown;
    parseFilterName(): unknown;
    parseFor(): unknown;
    parseIf(): unknown;
    parseSet(): unknown;
    parseMacro(): unknown;
    parseCall(): unknown;
    parseFilterStatement(): unknown;
    parseBlock(): unknown;
    parseExtends(): unknown;
    parseInclude(): unknown;
    parseImport(): unknown;
    parseFrom(): unknown;
  }

  const parser: { readonly Parser: typeof Parser };
  export default parser;
}

/** How tools are served and under which name. */
export interface ServeOptions {
  readonly name: string;
  readonly version: string;
  /** Over stdin and stdout, or over HTTP: as servers do now (`streamable_http`), or as older clients want it (`sse`). */
  readonly transport: 'stdio' | 'sse' | 'streamable_http';
  /** What a client's model is told of the server as a whole. */
  readonly instructions?: string | undefined;
  /** What `context.readResource` gives to the tools. */
  readonly readResource?: ((uri: string) => unknown) | undefined;
  /** Over HTTP: the port; any free one unless given. */
  readonly port?: number | undefined;
  /** Over HTTP: the address to listen at; 127.0.0.1, which only this machine reaches, unless given. */
  readonly host?: string | undefined;
  /** Over HTTP: further names that requests may call this machine by. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Over HTTP: what clients must send as their bearer token; nothing unless given. */
  readonly token?: string | undefined;
  /** Over streamable HTTP: a session without a request for so long is closed; 30 minutes unless given. */
  readonly idleMs?: number | undefined;
}

/** Tools that are served. Disposing it closes every session, which aborts the calls under way. */
export interface ToolServer extends AsyncDisposable {
  /** Where clients find it; undefined over stdio. */
  readonly address: string | undefined;
  /** Resolves once it serves nobody any more: disposed, or over stdio when the client has gone. */
  readonly ended: Promise<void>;
}

/** How tools are served and under which name. */
export interface ServeOptions {
  readonly name: string;
  readonly version: string;
  readonly transport: 'stdio';
}

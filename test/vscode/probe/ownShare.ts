import Module from 'node:module';

interface Extension {
  readonly activate: (context: unknown) => unknown;
}

interface LoadedModule {
  exports: Extension;
}

type Loader = (module: LoadedModule, file: string) => void;

/** Times, in milliseconds, the loading of the file that ends in `suffix` and its `activate`: the share that is the extension's own. */
export function ownShareOf(suffix: string): { readonly ms: number } {
  const share = { ms: 0 };
  const loaders = (Module as unknown as { readonly _extensions: Record<'.js', Loader> })._extensions;
  const load = loaders['.js'];
  loaders['.js'] = (module, file) => {
    const from = performance.now();
    load(module, file);
    if (!file.endsWith(suffix)) {
      return;
    }
    share.ms += performance.now() - from;
    const extension = module.exports;
    const activate = async (context: unknown): Promise<unknown> => {
      const called = performance.now();
      const api = await extension.activate(context);
      share.ms += performance.now() - called;
      return api;
    };
    module.exports = { ...extension, activate };
  };
  return share;
}

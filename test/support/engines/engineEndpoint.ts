import type { RealEngineName } from './installEngines';

/** Where a program finds the scripted model: all that the adapters leave to the person. */
export interface EngineEndpoint {
  /** In the person's environment. */
  readonly own: Readonly<Record<string, string>>;
  /** Under `env` of workers.json. */
  readonly configured: Readonly<Record<string, string>>;
  /** The person's settings of the engine. */
  readonly settings: { readonly hosts: readonly string[]; readonly args: readonly string[] };
}

/** The endpoint of a scenario's base address. */
export function engineEndpoint(name: RealEngineName, url: string, key: string): EngineEndpoint {
  const hosts = ['127.0.0.1'];
  switch (name) {
    case 'claude':
      return {
        own: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key },
        configured: { CLAUDE_CODE_MAX_RETRIES: '0' },
        settings: { hosts, args: [] },
      };
    case 'codex': {
      const retries = 'request_max_retries=0,stream_max_retries=0,stream_idle_timeout_ms=240000';
      const provider = `{name="scripted",base_url="${url}/v1",env_key="STUB_API_KEY",wire_api="responses",${retries}}`;
      const options = ['model_provider="scripted"', `model_providers.scripted=${provider}`];
      const args = [...options.flatMap((option) => ['-c', option]), '-m', 'scripted-model'];
      return { own: {}, configured: { STUB_API_KEY: key }, settings: { hosts, args } };
    }
    case 'opencode': {
      const options = { baseURL: `${url}/v1`, apiKey: key };
      const scripted = { npm: '@ai-sdk/openai-compatible', options, models: { small: {} } };
      const config = { provider: { scripted }, model: 'scripted/small', small_model: 'scripted/small' };
      return {
        own: {},
        configured: { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) },
        settings: { hosts, args: [] },
      };
    }
  }
}

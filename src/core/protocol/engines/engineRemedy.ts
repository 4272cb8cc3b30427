/** What a person can do about the end of a program that asks a model. */
export type EngineRemedy = 'log in' | 'check configuration' | 'raise limit' | 'wait' | 'retry';

import { claude } from './claude';
import { codex } from './codex';
import { copilot } from './copilot';
import type { EngineAdapter } from './engineAdapter';
import { gemini } from './gemini';
import { opencode } from './opencode';

/** Every engine that asks a model, in the order in which `auto` looks for one. */
export const engineAdapters: readonly EngineAdapter[] = [claude, codex, opencode, gemini, copilot];

import { readClaudeLine } from './claudeStream';
import { readCodexLine } from './codexStream';
import { readCopilotLine } from './copilotStream';
import type { ReadEngineLine } from './engineEvent';
import type { EngineStreamName } from './engineOrder';
import { readGeminiLine } from './geminiStream';
import { readOpencodeLine } from './opencodeStream';

/** One line per engine. Apart from the names, which windows know too: they read no stream. */
const streams: Readonly<Record<EngineStreamName, ReadEngineLine>> = {
  claude: readClaudeLine,
  codex: readCodexLine,
  opencode: readOpencodeLine,
  gemini: readGeminiLine,
  copilot: readCopilotLine,
};

/** The reader of a stream. */
export function engineStream(name: EngineStreamName): ReadEngineLine {
  return streams[name];
}

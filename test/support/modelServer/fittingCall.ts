/** A call of a tool as it goes over the wire. */
export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What each program calls its tool for a kind of work. */
const toolNames: Readonly<Record<string, readonly string[]>> = {
  write: ['Write', 'write', 'exec_command', 'shell_command', 'shell'],
  bash: ['Bash', 'bash', 'exec_command', 'shell_command', 'shell'],
  read: ['Read', 'read', 'exec_command', 'shell_command', 'shell'],
  agent: ['Agent', 'Task', 'task', 'spawn_agent'],
};

const commands: Readonly<Record<string, string>> = {
  write: 'printf "hello from the script" > out.txt',
  bash: 'printf ran > bash-ran.txt',
  read: 'cat out.txt',
};

/**
 * The call that does `call` (`write`, `bash`, `read`, `agent`, or a tool's own name) with the tools that are offered, in
 * the words of that tool. A given `input` is `{path, content}` or `{command}` and is put into its words too.
 */
export function fittingCall(
  call: string,
  offered: readonly string[],
  input: Readonly<Record<string, unknown>> = {},
): ToolCall {
  const wanted = toolNames[call] ?? [call];
  const name = wanted.find((candidate) => offered.includes(candidate)) ?? wanted[0] ?? call;
  return { name, input: call in toolNames ? inputOf(name, call, input) : input };
}

function inputOf(name: string, call: string, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const path = stringOr(input['path'], 'out.txt');
  const content = stringOr(input['content'], 'hello from the script');
  const given =
    'content' in input ? `mkdir -p "$(dirname '${path}')" && cat > '${path}' <<'EOT'\n${content}\nEOT` : null;
  const reading = call === 'read' && 'path' in input ? `cat '${path}'` : null;
  const command = stringOr(input['command'], given ?? reading ?? commands[call] ?? 'true');
  switch (name) {
    case 'Write':
      return { file_path: path, content };
    case 'write':
      return { filePath: path, content };
    case 'Read':
      return { file_path: path };
    case 'read':
      return { filePath: path };
    case 'exec_command':
      return { cmd: command };
    case 'shell':
      return { command: ['bash', '-lc', command] };
    case 'shell_command':
      return { command };
    case 'Bash':
    case 'bash':
      return { command, description: 'run it' };
    default:
      return { description: 'sub task', prompt: 'say hi', subagent_type: 'general', message: 'say hi' };
  }
}

function stringOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

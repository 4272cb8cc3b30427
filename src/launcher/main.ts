import { join } from 'node:path';
import { runtimeDirOf } from '../core/system/runtimeDir';
import { runProgram } from './runProgram';

// The program lies in the same folder, so what this file requires is what that one requires.
runProgram(join(__dirname, 'cli-program.js'), runtimeDirOf(), require);

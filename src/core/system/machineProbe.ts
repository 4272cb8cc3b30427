import { darwinProbe } from './darwinProbe';
import { linuxProbe } from './linuxProbe';
import type { ProcessProbe } from './processProbe';
import { windowsProbe } from './windowsProbe';

/** The probe of this machine. */
export const machineProbe: ProcessProbe = selectProbe(process.platform);

function selectProbe(platform: NodeJS.Platform): ProcessProbe {
  if (platform === 'win32') {
    return windowsProbe();
  }
  return platform === 'linux' ? linuxProbe() : darwinProbe();
}

import { errorCode, errorText } from '../base/errorText';

/** Why the registry room could not do what it was asked; the codes are a part of those of `HostApi`. */
export interface RegistryRefusal {
  readonly code: 'read-only' | 'registry-version' | 'unsafe-root' | 'disk-full' | 'failed';
  /** Ends in what the person can do. */
  readonly message: string;
}

/** What a system error can be to a person: any refusal but the one that only the registry's own text gives. */
export type DiskRefusal = RegistryRefusal & { readonly code: Exclude<RegistryRefusal['code'], 'registry-version'> };

/** Puts a system error into plain words. `doing` completes "Cannot …", e.g. `write the registry`. */
export function refusalOf(error: unknown, doing: string, path: string): DiskRefusal {
  const code = errorCode(error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return {
      code: 'read-only',
      message: `Cannot ${doing}: ${path} is read-only. Make it writable for your user and try again.`,
    };
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return {
      code: 'disk-full',
      message: `Cannot ${doing}: the disk that holds ${path} is full. Free some space and try again.`,
    };
  }
  if (code === 'ENOTDIR') {
    return {
      code: 'unsafe-root',
      message: `Cannot ${doing}: a part of ${path} is a file, not a folder. Move that file away and try again.`,
    };
  }
  return {
    code: 'failed',
    message: `Cannot ${doing} in ${path}: ${errorText(error)}. Check the folder and try again.`,
  };
}

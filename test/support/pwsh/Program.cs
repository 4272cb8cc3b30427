return Microsoft.PowerShell.UnmanagedPSEntry.Start(args, args.Length);

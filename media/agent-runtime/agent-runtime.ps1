# Rollcall's runtime for session agents in PowerShell 7 (by its rules also Windows PowerShell 5.1). Dot-source it:
#
#   . "$PSScriptRoot\..\..\scripts\agent-runtime.ps1"
#   if (-not (Connect-ToWatchdog -AgentName 'developer' -SessionDir '.claude/session')) { exit 1 }
#   Enter-AgentLoop -MessageHandler { param($Message) ... }
#
# A message counts as handled when its handler has returned, or has left the script after it sent something other than a
# status. An error that a handler does not catch ends the agent with 1. One that was begun and not handled comes again, with `redelivered`, when the supervisor has started the agent again.
# A send returns once the message is safe with the supervisor, and throws where it never will be.
# Names that begin with Rollcall are the runtime's own. It needs nothing else, and may be replaced by
# `rollcall agent install powershell`.

$script:RollcallAgent = $null

# ---- What agents call ----------------------------------------------------------------------------------------------------

# Connects to the supervisor and reports ready. Gives exactly one Boolean: $false when nobody answered in time.
function Connect-ToWatchdog {
    param(
        [string]$AgentName = $env:ROLLCALL_AGENT,
        [string]$SessionDir = '.claude/session',
        [int]$TimeoutMs = 31000
    )
    try {
        $script:RollcallAgent = New-RollcallAgent $AgentName $SessionDir
        Open-RollcallPipe $TimeoutMs
        Send-AgentStatus -Status 'ready'
        return $true
    } catch {
        $script:RollcallAgent = $null
        [Console]::Error.WriteLine("agent-runtime: $($_.Exception.Message)")
        return $false
    }
}

# Calls the handler with one message after the other. At a shutdown this ends the script with 42; it returns only when no
# message came for TimeoutMs (default: never).
function Enter-AgentLoop {
    param([Parameter(Mandatory = $true)][scriptblock]$MessageHandler, [int]$TimeoutMs = -1)
    # A handler sees the variables of those who call it; it shall see its script's, not ours of the same name.
    foreach ($private:name in 'MessageHandler', 'TimeoutMs') { (Get-Variable $name).Options = 'Private' }
    while (Invoke-RollcallHandler $MessageHandler $TimeoutMs) { }
}

# Like Connect-ToWatchdog (where that was not called) and Enter-AgentLoop, but ends the script with 0 once a handler has
# completed, blocked or abandoned its task or asked something: the agent that does one thing per process.
function Start-AgentLoop {
    param(
        [Parameter(Mandatory = $true)][scriptblock]$MessageHandler,
        [string]$AgentName = $env:ROLLCALL_AGENT,
        [string]$SessionDir = '.claude/session',
        [int]$TimeoutMs = -1
    )
    foreach ($private:name in 'MessageHandler', 'AgentName', 'SessionDir', 'TimeoutMs') { (Get-Variable $name).Options = 'Private' }
    if ($null -eq $script:RollcallAgent -and -not (Connect-ToWatchdog -AgentName $AgentName -SessionDir $SessionDir)) { exit 1 }
    while (Invoke-RollcallHandler $MessageHandler $TimeoutMs) {
        if ($script:RollcallAgent.TaskEnded) { break }
    }
    exit 0
}

# The next message, for those who want no loop, or $null after TimeoutMs (-1: waits). It counts as handled when the next one
# is asked for, or something other than a status was sent.
function Receive-Message {
    param([int]$TimeoutMs = -1)
    $agent = Get-RollcallAgent
    Complete-RollcallPulled $agent
    $next = Wait-RollcallMessage $TimeoutMs
    if ($null -ne $next) {
        $agent.Pulled = $next
        Start-RollcallMessage $next
    }
    return $next
}

# Sends a message. -PassThru gives what was sent, with the id that a Response will name in inReplyTo.
function Send-Message {
    param(
        [Parameter(Mandatory = $true)][string]$To,
        [Parameter(Mandatory = $true)][string]$Type,
        $Payload = @{},
        [string]$InReplyTo = '',
        [switch]$PassThru
    )
    $agent = Get-RollcallAgent
    $plain = ConvertTo-RollcallPlain $Payload 0
    if ($plain -isnot [System.Collections.IDictionary]) { throw 'A payload is a hashtable, e.g. @{ answer = "yes" }.' }
    $now = [DateTime]::UtcNow
    $culture = [Globalization.CultureInfo]::InvariantCulture
    $message = [ordered]@{
        id = 'msg-' + $now.ToString('yyyyMMdd-HHmmss', $culture) + '-' + (New-RollcallHex)
        type = $Type
        from = $agent.Name
        to = $To
        timestamp = $now.ToString('yyyy-MM-ddTHH:mm:ss.fffZ', $culture)
        payload = $plain
    }
    if ($InReplyTo -ne '') { $message['inReplyTo'] = $InReplyTo }
    Publish-RollcallMessage $message
    if ($Type -ne 'AgentStatus') {
        $agent.Replied = $true
        Complete-RollcallPulled $agent
    }
    if (@('WorkComplete', 'WorkBlocked', 'WorkAbandoned', 'Query') -contains $Type) { $agent.TaskEnded = $true }
    if ($PassThru) { return $message }
}

function Send-WorkComplete {
    param([Parameter(Mandatory = $true)][string]$TaskId, [string]$Result = 'success', [string]$Notes = '')
    Send-Message -To 'pm' -Type 'WorkComplete' -Payload @{ taskId = $TaskId; result = $Result; notes = $Notes }
}

function Send-WorkBlocked {
    param([Parameter(Mandatory = $true)][string]$TaskId, [string]$Reason = '')
    Send-Message -To 'pm' -Type 'WorkBlocked' -Payload @{ taskId = $TaskId; reason = $Reason }
}

function Send-ProblemReport {
    param(
        [string]$TaskId = '',
        [ValidateSet('bug', 'quality_concern', 'blocker')][string]$ProblemType = 'bug',
        [Parameter(Mandatory = $true)][string]$Description,
        [ValidateSet('low', 'medium', 'high', 'critical')][string]$Severity = 'medium'
    )
    $payload = @{ taskId = $TaskId; problemType = $ProblemType; description = $Description; severity = $Severity }
    Send-Message -To 'pm' -Type 'ProblemReport' -Payload $payload
}

function Send-AgentStatus {
    param([Parameter(Mandatory = $true)][string]$Status, [string]$CurrentTask = '', [string]$Notes = '')
    $payload = @{ status = $Status }
    if ($CurrentTask -ne '') { $payload['currentTask'] = $CurrentTask }
    if ($Notes -ne '') { $payload['notes'] = $Notes }
    Send-Message -To 'watchdog' -Type 'AgentStatus' -Payload $payload
}

function Get-AgentName { return (Get-RollcallAgent).Name }

function Get-SessionDir { return (Get-RollcallAgent).SessionDir }

# ---- Who we are ----------------------------------------------------------------------------------------------------------

function Get-RollcallAgent {
    if ($null -eq $script:RollcallAgent) { throw 'Not connected. Call Connect-ToWatchdog first.' }
    return $script:RollcallAgent
}

function New-RollcallAgent([string]$Name, [string]$SessionDir) {
    if ($Name -cnotmatch '^[a-z][a-z0-9-]{0,63}\z') { throw "'$Name' is no agent name. Use small letters, digits and '-'." }
    if ($env:ROLLCALL_AGENT -and $env:ROLLCALL_AGENT -cne $Name) {
        throw "This process was started as the agent '$env:ROLLCALL_AGENT', not '$Name'. Give -AgentName that name."
    }
    $private = [bool]$env:ROLLCALL_ENDPOINT
    return @{
        Name = $Name
        SessionDir = Resolve-RollcallFolder $SessionDir
        Private = $private
        # .NET finds a pipe by its bare name on Windows, and by an absolute path where pipes are sockets.
        PipeName = $(if ($private) { $env:ROLLCALL_ENDPOINT -replace '^\\\\\.\\pipe\\', '' } else { "ralph-$Name-main" })
        Run = New-RollcallHex
        Cursor = Read-RollcallCursor
        Pipe = $null
        Reader = $null
        Reading = $null
        Sent = 0
        # What was sent and not accepted yet, by number; goes again over every new connection.
        Outbox = [ordered]@{}
        Refused = @{}
        Waiting = New-Object System.Collections.ArrayList
        # Every message that this process got, by its seq: whether it was handled.
        Handled = @{}
        Pulled = $null
        Replied = $false
        TaskEnded = $false
        Json = $(if ((Get-Command ConvertFrom-Json).Parameters.ContainsKey('DateKind')) { @{ DateKind = 'String' } } else { @{} })
    }
}

function Resolve-RollcallFolder([string]$Folder) {
    $native = $Folder -replace '[\\/]', [string][IO.Path]::DirectorySeparatorChar
    $path = [IO.Path]::GetFullPath([IO.Path]::Combine((Get-Location -PSProvider FileSystem).ProviderPath, $native))
    if (-not [IO.Directory]::Exists($path) -and $env:ROLLCALL_SESSION_DIR) { return $env:ROLLCALL_SESSION_DIR }
    return $path
}

function New-RollcallHex {
    $bytes = New-Object byte[] 8
    $random = [Security.Cryptography.RandomNumberGenerator]::Create()
    $random.GetBytes($bytes)
    $random.Dispose()
    return [BitConverter]::ToString($bytes).Replace('-', '').ToLowerInvariant()
}

# ---- The connection ------------------------------------------------------------------------------------------------------

# Tries until somebody answers; throws after TimeoutMs. What was not accepted is sent again.
function Open-RollcallPipe([int]$TimeoutMs) {
    $agent = Get-RollcallAgent
    $clock = [Diagnostics.Stopwatch]::StartNew()
    while ($true) {
        try {
            Join-RollcallPipe $agent
            return
        } catch {
            $reason = $_.Exception.GetBaseException().Message
        }
        if ($clock.ElapsedMilliseconds -ge $TimeoutMs) {
            throw "Nobody answers for the agent '$($agent.Name)' ($reason). Start it with: rollcall agent start $($agent.Name)"
        }
        Start-Sleep -Milliseconds 200
    }
}

function Join-RollcallPipe($agent) {
    if ($null -ne $agent.Pipe) { $agent.Pipe.Dispose() }
    $agent.Reading = $null
    $agent.Pipe = New-Object System.IO.Pipes.NamedPipeClientStream -ArgumentList @(
        '.', $agent.PipeName, [IO.Pipes.PipeDirection]::InOut, [IO.Pipes.PipeOptions]::Asynchronous)
    $agent.Pipe.Connect(100)
    $agent.Reader = New-Object System.IO.StreamReader -ArgumentList $agent.Pipe, (New-Object System.Text.UTF8Encoding $false)
    if ($agent.Private) {
        Write-RollcallLine $agent @{ hello = 1; token = "$env:ROLLCALL_TOKEN"; run = $agent.Run; cursor = $agent.Cursor }
        foreach ($message in @($agent.Outbox.Values)) { Write-RollcallLine $agent $message }
    }
}

function Restore-RollcallPipe {
    $agent = Get-RollcallAgent
    Open-RollcallPipe 30000
    if (-not $agent.Private) { Send-AgentStatus -Status 'ready' }
}

# One line, one write. The encoder replaces what no UTF-8 can say (half a surrogate pair) instead of failing for ever.
function Write-RollcallLine($agent, $Object) {
    $line = ConvertTo-Json -InputObject $Object -Depth 100 -Compress
    $bytes = (New-Object System.Text.UTF8Encoding $false).GetBytes("$line`n")
    if (-not $agent.Pipe.WriteAsync($bytes, 0, $bytes.Length).Wait(30000)) { throw 'The supervisor takes nothing.' }
}

# The next line, or $null after TimeoutMs; a read that was begun goes on. Throws at the end of the connection.
function Read-RollcallLine($agent, [int]$TimeoutMs) {
    if ($null -eq $agent.Reading) { $agent.Reading = $agent.Reader.ReadLineAsync() }
    if (-not $agent.Reading.Wait($TimeoutMs)) { return $null }
    $line = $agent.Reading.Result
    $agent.Reading = $null
    if ($null -eq $line) { throw 'The connection was closed.' }
    return $line
}

# Takes in what the supervisor says within TimeoutMs, one line at most.
function Update-RollcallAgent([int]$TimeoutMs) {
    $agent = Get-RollcallAgent
    try {
        $line = Read-RollcallLine $agent $TimeoutMs
    } catch {
        Restore-RollcallPipe
        return
    }
    if ([string]::IsNullOrWhiteSpace($line)) { return }
    $said = ConvertFrom-RollcallLine $line
    if (Get-RollcallField $said 'type') {
        Add-RollcallMessage $agent $said
    } elseif ($null -ne (Get-RollcallField $said 'accepted')) {
        $agent.Outbox.Remove([string](Get-RollcallField $said 'accepted'))
    } elseif ($null -ne (Get-RollcallField $said 'refused')) {
        Add-RollcallRefusal $agent $said
    } else {
        [Console]::Error.WriteLine("agent-runtime: cannot read this line, left out: $line")
    }
}

function Add-RollcallRefusal($agent, $Said) {
    $number = [string](Get-RollcallField $Said 'refused')
    $reason = [string](Get-RollcallField $Said 'reason')
    if ($number -eq '0') { throw "The supervisor refused this agent: $reason" }
    $agent.Outbox.Remove($number)
    $agent.Refused[$number] = $reason
}

# ---- Messages ------------------------------------------------------------------------------------------------------------

function Publish-RollcallMessage($Message) {
    $agent = Get-RollcallAgent
    if (-not $agent.Private) {
        try { Write-RollcallLine $agent $Message } catch {
            Restore-RollcallPipe
            Write-RollcallLine $agent $Message
        }
        return
    }
    $agent.Sent += 1
    $number = [string]$agent.Sent
    $Message['n'] = $agent.Sent
    $agent.Outbox[$number] = $Message
    try { Write-RollcallLine $agent $Message } catch { Restore-RollcallPipe }
    $clock = [Diagnostics.Stopwatch]::StartNew()
    while ($agent.Outbox.Contains($number)) {
        if ($clock.ElapsedMilliseconds -ge 60000) { throw 'The supervisor has not taken the message for a minute. Look at: rollcall status' }
        Update-RollcallAgent 1000
    }
    if ($agent.Refused.ContainsKey($number)) { throw "The message was refused: $($agent.Refused[$number])" }
}

function Add-RollcallMessage($agent, $Message) {
    $seq = Get-RollcallSeq $Message
    if ($seq -and $agent.Handled.ContainsKey($seq)) {
        # It came again over a new connection: only what we said about it can have been lost.
        if ($agent.Handled[$seq]) { Confirm-RollcallMessage $agent $seq }
        return
    }
    if ($seq) { $agent.Handled[$seq] = $false }
    # Work that waits behind a shutdown is for the next process.
    if (Test-RollcallShutdown $Message) { $agent.Waiting.Insert(0, $Message) } else { $null = $agent.Waiting.Add($Message) }
}

# The next message, or $null after TimeoutMs (-1: waits). Waits in slices, so that Ctrl-C is heard.
function Wait-RollcallMessage([int]$TimeoutMs) {
    $agent = Get-RollcallAgent
    $clock = [Diagnostics.Stopwatch]::StartNew()
    while ($agent.Waiting.Count -eq 0) {
        $left = $(if ($TimeoutMs -lt 0) { 1000 } else { [Math]::Min(1000, $TimeoutMs - $clock.ElapsedMilliseconds) })
        if ($left -lt 0) { return $null }
        Update-RollcallAgent $left
    }
    $next = $agent.Waiting[0]
    $agent.Waiting.RemoveAt(0)
    return $next
}

# Waits for a message and lets the handler have it. $false: none came in time.
function Invoke-RollcallHandler([scriptblock]$RollcallHandler, [int]$RollcallTimeoutMs) {
    $rollcallMessage = Wait-RollcallMessage $RollcallTimeoutMs
    if ($null -eq $rollcallMessage) { return $false }
    Start-RollcallMessage $rollcallMessage
    $rollcallReturned = $false
    $rollcallFailed = $false
    try {
        # A loop of its own for the handler's `break`, and its output goes to the log, not into our result.
        foreach ($rollcallOnce in 1) { & $RollcallHandler $rollcallMessage | Out-Host }
        $rollcallReturned = $true
    } catch {
        # Thrown on, because an error that ends only its statement would leave the loop, and the script with 0.
        $rollcallFailed = $true
        throw
    } finally {
        # An `exit` comes here and nowhere else, and does not tell its code.
        if ($rollcallReturned -or ($script:RollcallAgent.Replied -and -not $rollcallFailed)) {
            Complete-RollcallPulled $script:RollcallAgent
            Complete-RollcallMessage $rollcallMessage
        }
    }
    if (Test-RollcallShutdown $rollcallMessage) { exit 42 }
    return $true
}

# Notes on the disk that the message was begun, before anybody acts on it.
function Start-RollcallMessage($Message) {
    $agent = Get-RollcallAgent
    $agent.Replied = $false
    $agent.TaskEnded = $false
    $seq = Get-RollcallSeq $Message
    if (-not $seq -or $seq -le $agent.Cursor) { return }
    $agent.Cursor = $seq
    if (-not $env:ROLLCALL_CURSOR) { return }
    try {
        # In place and never cut: the number only grows, so no crash leaves less than a number.
        $file = [IO.File]::Open($env:ROLLCALL_CURSOR, 'OpenOrCreate', 'Write', 'ReadWrite')
        $digits = [Text.Encoding]::ASCII.GetBytes([string]$seq)
        $file.Write($digits, 0, $digits.Length)
        $file.Dispose()
    } catch {
        throw "Cannot note the message in $env:ROLLCALL_CURSOR ($($_.Exception.GetBaseException().Message)). Make room there."
    }
}

function Read-RollcallCursor {
    try { return [long]([IO.File]::ReadAllText($env:ROLLCALL_CURSOR).Trim()) } catch {
        # No file, or none yet: no message was ever begun.
        return 0
    }
}

function Complete-RollcallMessage($Message) {
    $agent = Get-RollcallAgent
    $seq = Get-RollcallSeq $Message
    if (-not $seq) { return }
    $agent.Handled[$seq] = $true
    Confirm-RollcallMessage $agent $seq
}

function Complete-RollcallPulled($agent) {
    Complete-RollcallMessage $agent.Pulled
    $agent.Pulled = $null
}

# Its number, or $null for what nobody waits to have confirmed.
function Get-RollcallSeq($Message) {
    if ((Get-RollcallAgent).Private) { return Get-RollcallField $Message 'seq' }
    return $null
}

function Confirm-RollcallMessage($agent, $Seq) {
    # Where the connection is gone the message comes again over the next one, and is confirmed then.
    try { Write-RollcallLine $agent @{ ack = $Seq } } catch { }
}

function Test-RollcallShutdown($Message) {
    if ((Get-RollcallField $Message 'type') -ne 'System') { return $false }
    return (Get-RollcallField (Get-RollcallField $Message 'payload') 'systemEvent') -eq 'shutdown'
}

# ---- JSON ----------------------------------------------------------------------------------------------------------------

# $null for what is no JSON. Dates stay the texts that they are where PowerShell can do that (7.5).
function ConvertFrom-RollcallLine([string]$Line) {
    $how = (Get-RollcallAgent).Json
    try { return ConvertFrom-Json -InputObject $Line @how } catch {
        # Keys that differ only in case fit into a hashtable alone, which Windows PowerShell cannot make.
        if ($PSVersionTable.PSVersion.Major -lt 6) { return $null }
    }
    try { return ConvertFrom-Json -InputObject $Line -AsHashtable @how } catch { return $null }
}

function Get-RollcallField($Object, [string]$Name) {
    if ($null -eq $Object) { return $null }
    if ($Object -is [System.Collections.IDictionary]) { return $Object[$Name] }
    $property = $Object.PSObject.Properties[$Name]
    if ($null -eq $property) { return $null }
    return $property.Value
}

# Texts, numbers, truth values, lists and tables as they are, dates as ISO texts, anything else as its text: ConvertTo-Json
# alone would write out every property of a file object, and cut silently at its depth.
function ConvertTo-RollcallPlain($Value, [int]$Depth) {
    if ($Depth -gt 60) { throw 'The payload is nested deeper than 60 levels. Write it into a file and send the path.' }
    if ($null -eq $Value) { return $null }
    if ($Value -is [bool] -or $Value -is [decimal]) { return $Value }
    if ($Value -is [DateTime] -or $Value -is [DateTimeOffset]) {
        return $Value.ToUniversalTime().ToString('yyyy-MM-ddTHH:mm:ss.fffZ', [Globalization.CultureInfo]::InvariantCulture)
    }
    if (($Value -is [double] -or $Value -is [single]) -and ([double]::IsNaN($Value) -or [double]::IsInfinity($Value))) { return "$Value" }
    if ($Value.GetType().IsPrimitive -and $Value -isnot [char]) { return $Value }
    if ($Value -is [string]) { return "$Value" }
    if ($Value -is [System.Collections.IDictionary]) {
        $table = [ordered]@{}
        foreach ($key in @($Value.Keys)) { $table["$key"] = ConvertTo-RollcallPlain $Value[$key] ($Depth + 1) }
        return $table
    }
    if ($Value -is [System.Management.Automation.PSCustomObject]) {
        $table = [ordered]@{}
        foreach ($property in $Value.PSObject.Properties) { $table[$property.Name] = ConvertTo-RollcallPlain $property.Value ($Depth + 1) }
        return $table
    }
    if ($Value -is [System.Collections.IEnumerable]) {
        $list = New-Object System.Collections.ArrayList
        foreach ($item in $Value) { $null = $list.Add((ConvertTo-RollcallPlain $item ($Depth + 1))) }
        return , $list
    }
    return "$Value"
}

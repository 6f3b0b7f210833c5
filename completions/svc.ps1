# PowerShell completion for svc, 5.1 and newer: asks `svc __complete`.
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # The words before the one at the cursor.
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { "$_" })
    # Some versions pass no empty word on to a program.
    $current = if ($wordToComplete -eq '') { '""' } else { $wordToComplete }
    $lines = @(svc __complete '--' $words $current 2>$null)
    # An empty text keeps PowerShell from offering files; without a result it offers them.
    if ($lines.Count -eq 0) { return '' }
    if ($lines[0] -in ':file', ':directory') { return }
    foreach ($line in $lines) {
        $text, $summary = $line -split "`t", 2
        if (-not $summary) { $summary = $text }
        $quoted = if ($text -match "[^\w./:=+-]") { "'" + ($text -replace "['‘-‛]", '$0$0') + "'" } else { $text }
        [System.Management.Automation.CompletionResult]::new($quoted, $text, 'ParameterValue', $summary)
    }
}

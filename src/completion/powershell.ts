/** Completion for PowerShell 5.1 and newer. */
import { nodesOf, type Flag, type Node, type Offer, type Operand, type Tree } from './tree.js';

/** The script to load from a profile. */
export function powershellScript({ root, globals, localModels }: Tree): string {
  return `# PowerShell completion for svc, made from its declarations.

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $globals = @(
${globals.map((flag) => flagLine(flag, 8)).join('')}    )
    $commands = @{
${nodesOf(root).map(nodeLines).join('')}    }

    function Find-Flag($flags, $name) {
        $flags | Where-Object { $_.Kind -and $_.Names -ccontains $name } | Select-Object -First 1
    }
    function New-Result($text, $type, $tooltip) {
        $quoted = if ($text -match "[^\\w./:=+-]") { "'" + $text.Replace("'", "''") + "'" } else { $text }
        [System.Management.Automation.CompletionResult]::new($quoted, $text, $type, $tooltip)
    }
    # An empty text keeps PowerShell from offering files.
    $nothing = ''

    $path = ''
    $node = $commands['']
    $operand = 0
    $slot = $null
    $isLocal = $false
    # The words before the one at the cursor.
    $before = $commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition }
    foreach ($element in $before) {
        $word = "$element"
        if ($slot) {
            $slot = $null
        } elseif ($word -ceq '--') {
            return $nothing
        } elseif ($word -clike '-*') {
            if ($word -ceq '--local') { $isLocal = $true }
            $slot = Find-Flag ($node.Flags + $globals) $word
        } elseif ($node.Verbs.Count -gt 0) {
            $path = "$path $word".Trim()
            $node = $commands[$path]
            if (-not $node) { return $nothing }
        } else {
            $operand++
        }
    }

    $current = $wordToComplete
    $prefix = ''
    if (-not $slot -and $current -clike '--*=*') {
        $name, $current = $current -split '=', 2
        $prefix = "$name="
        $slot = Find-Flag ($node.Flags + $globals) $name
    } elseif (-not $slot -and $current -clike '-*') {
        $found = foreach ($flag in $node.Flags + $globals) {
            foreach ($name in $flag.Names) {
                if ($name.StartsWith($current, [StringComparison]::Ordinal)) {
                    New-Result $name 'ParameterName' $flag.Summary
                }
            }
        }
        if ($found) { return $found } else { return $nothing }
    } elseif (-not $slot -and $node.Verbs.Count -gt 0) {
        $found = foreach ($verb in $node.Verbs) {
            if ($verb.Name.StartsWith($current, [StringComparison]::Ordinal)) {
                New-Result $verb.Name 'Command' $verb.Summary
            }
        }
        if ($found) { return $found } else { return $nothing }
    }

    if (-not $slot) {
        $last = $node.Operands.Count - 1
        if ($last -ge 0 -and ($operand -le $last -or $node.Operands[$last].Many)) {
            $slot = $node.Operands[[Math]::Min($operand, $last)]
        }
    }
    # Without a result PowerShell offers files by itself.
    if ($slot -and $slot.Kind -eq 'file') { return }
    $words = @()
    if ($slot -and $slot.Kind -eq 'words') { $words = $slot.Words }
    if ($slot -and $slot.Kind -eq 'model' -and $isLocal) { $words = ${list(localModels)} }
    $found = foreach ($word in $words) {
        if ($word.StartsWith($current, [StringComparison]::Ordinal)) {
            New-Result "$prefix$word" 'ParameterValue' $word
        }
    }
    if ($found) { return $found } else { return $nothing }
}
`;
}

function nodeLines({ path, flags, operands, children }: Node): string {
  const verbs = children.map(
    ({ name, summary }) =>
      `                @{ Name = ${quote(name)}; Summary = ${quote(summary)} }\n`,
  );
  return `        ${quote(path.join(' '))} = @{
            Verbs = @(
${verbs.join('')}            )
            Flags = @(
${flags.map((flag) => flagLine(flag, 16)).join('')}            )
            Operands = @(
${operands.map(operandLine).join('')}            )
        }
`;
}

function flagLine({ spellings, summary, value }: Flag, indent: number): string {
  const names = `Names = ${list(spellings)}; Summary = ${quote(summary)}`;
  const takes = value ? offerFields(value.offer) : "Kind = ''";
  return `${' '.repeat(indent)}@{ ${names}; ${takes} }\n`;
}

function operandLine({ many, offer }: Operand): string {
  return `                @{ Many = $${String(many)}; ${offerFields(offer)} }\n`;
}

function offerFields(offer: Offer): string {
  if (offer.kind === 'words') return `Kind = 'words'; Words = ${list(offer.words)}`;
  // What PowerShell offers by itself holds folders as well as files.
  return `Kind = '${offer.kind === 'directory' ? 'file' : offer.kind}'`;
}

function list(texts: readonly string[]): string {
  return `@(${texts.map(quote).join(', ')})`;
}

/** One text of PowerShell, for which curly single quotes are single quotes too. */
function quote(text: string): string {
  return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}

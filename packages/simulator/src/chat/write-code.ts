import type { Random } from '@data-designer/core';
import { pick } from '../draws.ts';
import type { Prompt } from './prompt.ts';

/** A small program about one word; it stands in for what a model would write, and is meant to be valid. */
const PROGRAMS: Readonly<Record<string, (word: string) => string>> = {
  python: (word) => `def count_${word}(items: list[str]) -> int:
    """Count the items that mention ${word}."""
    return sum(1 for item in items if "${word}" in item)


print(count_${word}(["${word}", "other"]))`,
  javascript: (word) => `export function count_${word}(items) {
  return items.filter((item) => item.includes('${word}')).length;
}`,
  typescript: (word) => `export function count_${word}(items: readonly string[]): number {
  return items.filter((item) => item.includes('${word}')).length;
}`,
  sql: (word) => `SELECT ${word}_name, COUNT(*) AS ${word}_count
FROM ${word}_table
GROUP BY ${word}_name
ORDER BY ${word}_count DESC`,
  bash: (word) => `#!/usr/bin/env bash
set -euo pipefail
grep -c '${word}' "$1" || true`,
  go: (word) => `package main

import "fmt"

func main() {
	fmt.Println("${word}")
}`,
  rust: (word) => `fn main() {
    println!("${word}");
}`,
  java: (word) => `public class Main {
    public static void main(String[] args) {
        System.out.println("${word}");
    }
}`,
  c: (word) => `#include <stdio.h>

int main(void) {
    puts("${word}");
    return 0;
}`,
  cpp: (word) => `#include <iostream>

int main() {
    std::cout << "${word}\\n";
}`,
  csharp: (word) => `System.Console.WriteLine("${word}");`,
  kotlin: (word) => `fun main() {
    println("${word}")
}`,
  scala: (word) => `@main def run(): Unit = println("${word}")`,
  swift: (word) => `print("${word}")`,
  ruby: (word) => `puts "${word}"`,
  php: (word) => `<?php
echo "${word}";`,
  cobol: (word) => `       IDENTIFICATION DIVISION.
       PROGRAM-ID. ${word.toUpperCase().slice(0, 30)}.
       PROCEDURE DIVISION.
           DISPLAY "${word}".
           STOP RUN.`,
};

const FENCE = /```([A-Za-z][\w+#-]*)/;
const SPOKEN = new RegExp(
  `\\b(?:code|script|program|function|query)\\b[^.\\n]{0,60}?\\bin\\s+[\`"'*]*(${Object.keys(PROGRAMS).join('|')})\\b`,
  'i',
);

/** The language a prompt asks code in, as it writes it: by a fence, or as "code in python". */
export function languageAsked(text: string): string | undefined {
  return FENCE.exec(text)?.[1] ?? SPOKEN.exec(text)?.[1]?.toLowerCase();
}

/** A fenced block of code in a language, about one of the words of the question. */
export function writeCode(language: string, prompt: Prompt, random: Random): string {
  const word =
    pick(prompt.words, random)
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '') || 'item';
  const known = language.toLowerCase();
  const program = Object.hasOwn(PROGRAMS, known) ? PROGRAMS[known]?.(word) : word;
  return `Here is one way to do it.\n\n\`\`\`${language}\n${program}\n\`\`\``;
}

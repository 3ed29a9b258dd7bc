package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrivateNamesTravelShort(t *testing.T) {
	main := source(t, map[string]string{
		"main.ts": `import { Other } from "./other.ts";
class Own {
  private readonly secretList: string[] = [];
  private shared = 1;
  private hidden = 2;
  private keyed = 3;
  private listed = 4;
  private spoken = 5;
  private lookedUp = 6;
  // secretList: and this.secretList in a comment change nothing.
  private addSecret(secretList: string): void { this.secretList.push(secretList + String(this.hidden)); }
  run(): string { const { secretList, shared } = this; this.addSecret("a"); return secretList.join() + String(shared + this.keyed + this.listed + this.spoken + this.lookedUp); }
}
const [keyed, listed, x] = [1, 2, new Other()];
document.title = new Own().run() + String(x.shared) + JSON.stringify([{ keyed, listed }]) + JSON.stringify({ spoken: 1 }) + String(Reflect.get(x, "lookedUp"));`,
		"other.ts": `export class Other extends HTMLElement { shared = 2; show(): boolean { return this.hidden; } }`,
	})
	out := t.TempDir()
	if err := run([]string{main}, out, false, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, "app.js"))
	if err != nil {
		t.Fatal(err)
	}
	for name, stays := range map[string]bool{
		// A parameter of the same name with its type looks like a key: then the name stays.
		"addSecret": false, "shared": true, "hidden": true, "keyed": true, "listed": true, "spoken": true, "lookedUp": true,
	} {
		if strings.Contains(string(text), name) != stays {
			t.Errorf("%s stands in the bundle: %v, want %v\n%s", name, !stays, stays, text)
		}
	}
}

func TestWithoutPrivateNamesNothingIsShortened(t *testing.T) {
	if got := mangled(nil); got != "" {
		t.Errorf("no names make the pattern %q, which would shorten all", got)
	}
}

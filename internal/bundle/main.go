package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/reconcile-tracer/tracer/internal/zip"
)

// budgets are how many bytes each file may have when it travels, gzipped.
var budgets = map[string]int{"app.js": 60_000, "classroom.js": 15_300, "picture.js": 3_000, "panels.js": 19_500, "app.css": 16_000}

func main() {
	entry := flag.String("entry", "web/src/main.ts", "the page's first module")
	later := flag.String("later", "web/src/classroom.ts,web/src/picture.ts,web/src/panels.ts", "modules that it loads by itself when it needs them")
	style := flag.String("style", "web/css/app.css", "the page's style sheet, which imports the others")
	out := flag.String("out", "static", "folder to write to")
	check := flag.Bool("check", false, "write nothing, fail if a file differs")
	flag.Parse()
	entries := append(strings.Split(*later, ","), *entry, *style)
	if err := run(entries, *out, *check, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

// run builds the entries into the folder out, or with check compares, and
// reports sizes to w.
func run(entries []string, out string, check bool, w io.Writer) error {
	for _, entry := range entries {
		files, err := build(entry, out)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := emit(f, check, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// emit writes or compares one file, and holds it to its budget.
func emit(f api.OutputFile, check bool, w io.Writer) error {
	zipped, err := zip.Bytes(f.Contents) // as the hub sends it
	if err != nil {
		return err
	}
	packed := len(zipped)
	name := filepath.Base(f.Path)
	fmt.Fprintf(w, "%s %d bytes, %d gzipped\n", name, len(f.Contents), packed)
	if err := put(f, check); err != nil {
		return err
	}
	if budget := budgets[name]; packed > budget {
		return fmt.Errorf("%s has %d bytes gzipped, over its budget of %d: leave something out", name, packed, budget)
	}
	return nil
}

// build bundles one entry without writing. Each file stands for itself: what two
// of them need is in both.
func build(entry, out string) ([]api.OutputFile, error) {
	entry, err := filepath.Abs(entry)
	if err != nil {
		return nil, fmt.Errorf("finding the entry: %w", err)
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, fmt.Errorf("finding the folder to write to: %w", err)
	}
	names, err := privateNames(filepath.Dir(entry))
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{{InputPath: entry, OutputPath: outputName(entry)}},
		AbsWorkingDir:       filepath.Dir(entry),
		Outdir:              out,
		Bundle:              true,
		Format:              api.FormatESModule,
		Target:              api.ES2022,
		Platform:            api.PlatformBrowser,
		Charset:             api.CharsetUTF8,
		MinifyWhitespace:    true,
		MinifyIdentifiers:   true,
		MinifySyntax:        true,
		MangleProps:         mangled(names),
		LegalComments:       api.LegalCommentsEndOfFile,
		// The sources are all there is: a package that someone has installed
		// must not find its way into the page, nor its settings.
		TsconfigRaw: `{"compilerOptions":{"target":"ES2022","useDefineForClassFields":false,"verbatimModuleSyntax":true}}`,
		External:    []string{"/static/*"},
		Plugins:     []api.Plugin{onlySources()},
	})
	if len(result.Errors) > 0 {
		text := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, errors.New(strings.TrimSpace(strings.Join(text, "")))
	}
	return result.OutputFiles, nil
}

// outputName is what an entry becomes, without its ending: the page's first
// module and its style are the app.
func outputName(entry string) string {
	name := strings.TrimSuffix(filepath.Base(entry), filepath.Ext(entry))
	if name == "main" {
		return "app"
	}
	return name
}

// onlySources refuses imports of packages by name. What a style sheet names by
// url lies beside it in static, and is not bundled.
func onlySources() api.Plugin {
	refuse := func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		switch args.Kind {
		case api.ResolveEntryPoint:
			return api.OnResolveResult{}, nil
		case api.ResolveCSSURLToken:
			return api.OnResolveResult{Path: args.Path, External: true}, nil
		}
		return api.OnResolveResult{}, fmt.Errorf("import of the package %q: keep its source under web/vendor and import it by path", args.Path)
	}
	return api.Plugin{Name: "only-sources", Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: `^[^./]`}, refuse)
	}}
}

func put(f api.OutputFile, check bool) error {
	if !check {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return fmt.Errorf("making the folder: %w", err)
		}
		return os.WriteFile(f.Path, f.Contents, 0o644)
	}
	have, err := os.ReadFile(f.Path)
	if err != nil {
		return fmt.Errorf("reading the committed bundle: %w", err)
	}
	if !bytes.Equal(have, f.Contents) {
		return fmt.Errorf("%s is out of date: run go run ./internal/bundle", filepath.Base(f.Path))
	}
	return nil
}

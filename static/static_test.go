package static

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := fs.ReadFile(FS, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestStyleSheetFindsItsFiles(t *testing.T) {
	found := regexp.MustCompile(`url\("?([^")]+)"?\)`).FindAllStringSubmatch(read(t, "app.css"), -1)
	if len(found) == 0 {
		t.Fatal("no fonts in app.css")
	}
	for _, m := range found {
		if strings.Contains(m[1], "//") {
			t.Errorf("%s comes from elsewhere: the page must work offline", m[1])
			continue
		}
		if len(read(t, m[1])) == 0 {
			t.Errorf("%s is empty", m[1])
		}
	}
}

func TestFontsCarryTheirLicence(t *testing.T) {
	for _, name := range []string{"fonts/OFL-atkinson-next.txt", "fonts/OFL-atkinson-mono.txt"} {
		if !strings.Contains(read(t, name), "SIL Open Font License") {
			t.Errorf("%s is not the licence", name)
		}
	}
}

func TestScriptsKeepToTrustedTypes(t *testing.T) {
	for _, name := range []string{"app.js", "classroom.js", "picture.js", "panels.js"} {
		script := read(t, name)
		if script == "" {
			t.Fatalf("%s is empty: go run ./internal/bundle", name)
		}
		for _, sink := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("} {
			if strings.Contains(script, sink) {
				t.Errorf("%s uses %s: data goes into text nodes only", name, sink)
			}
		}
	}
}

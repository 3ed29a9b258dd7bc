package standin

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFolderIsNamedNoMore(t *testing.T) {
	for _, c := range []struct{ folder, session, want string }{
		{"/data/x", `{"a":"unix:///data/x/etcd.sock","b":"/data/x","c":"/data/x/"}`, `{"a":"unix:///demo/etcd.sock","b":"/demo","c":"/demo/"}`},
		{"/data/x/", `"open /data/x/a: none", "in /data/x: none", "{\"a\":\"/data/x\"}"`, `"open /demo/a: none", "in /demo: none", "{\"a\":\"/demo\"}"`},
		{"/data/x", `"/data/x2/a", "/data/x.old", "/var/data/x/a", "/data/xä"`, `"/data/x2/a", "/data/x.old", "/var/data/x/a", "/data/xä"`},
		{`/a "b"`, `"/a \"b\"/c"`, `"/demo/c"`},
		{"/", `"/api/v1/namespaces"`, `"/api/v1/namespaces"`},
		{"", `"/api"`, `"/api"`},
		{"/data/x", "", ""},
	} {
		if got := string(For(c.folder, []byte(c.session))); got != c.want {
			t.Errorf("%s in %s gives %s, want %s", c.folder, c.session, got, c.want)
		}
	}
}

// A folder that is named from here, or by a link, is in a session by its path.
func TestFolderIsRelative(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Mkdir("real", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", "link"); err != nil {
		t.Fatal(err)
	}
	session := `{"at":1.5,"socket":"` + dir + `/etcd.sock","real":"` + dir + `/real/a","link":"` + dir + `/link/a"}`
	for folder, want := range map[string]string{
		".":    `{"at":1.5,"socket":"/demo/etcd.sock","real":"/demo/real/a","link":"/demo/link/a"}`,
		"link": `{"at":1.5,"socket":"` + dir + `/etcd.sock","real":"/demo/a","link":"/demo/a"}`,
	} {
		if got := string(For(folder, []byte(session))); got != want {
			t.Errorf("%s gives %s, want %s", folder, got, want)
		}
	}
}

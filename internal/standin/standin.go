// Package standin takes the name of the folder in which a session was recorded
// out of it: the API server's spans name etcd's socket, which lies there.
package standin

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
)

// Folder is what a recording has in place of the folder that it ran in.
const Folder = "/demo"

// For puts Folder in the place of a folder, absolute or relative to where this
// process runs, in JSON; wherever the folder is named whole, by its path or by
// that without symbolic links. An empty folder is none.
func For(folder string, session []byte) []byte {
	if folder == "" {
		return session
	}
	if path, err := filepath.Abs(folder); err == nil {
		folder = path
	}
	session = replace(session, folder)
	if real, err := filepath.EvalSymlinks(folder); err == nil && real != folder {
		session = replace(session, real)
	}
	return session
}

func replace(session []byte, folder string) []byte {
	quoted, err := json.Marshal(folder)
	if err != nil || strings.Trim(folder, `/\`) == "" { // all paths begin with it
		return session
	}
	name := quoted[1 : len(quoted)-1]
	var out []byte
	for begin := 0; ; {
		at := bytes.Index(session[begin:], name)
		if at < 0 {
			return append(out, session[begin:]...)
		}
		at += begin
		end := at + len(name)
		out = append(out, session[begin:at]...)
		if at > 0 && inName(session[at-1]) || end < len(session) && inName(session[end]) {
			out = append(out, name...) // a part of another folder's path
		} else {
			out = append(out, Folder...)
		}
		begin = end
	}
}

// inName says of a byte beside a path that it belongs to a name in it.
func inName(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80 || bytes.IndexByte([]byte("._-~+%@"), b) >= 0
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-tracer/tracer/server"
	"github.com/reconcile-tracer/tracer/server/recording"
)

// source is where there is something to export: a hub, "" where none runs, and
// the folder in which its journal is, "" where that is not known.
type source struct {
	url, folder string
	// tokenFile is where the token is from, "" when it was given; with noToken
	// there is none.
	tokenFile string
	noToken   bool
}

// findSource says where the hub is. A kept token goes to where the hub of its
// folder runs, and nowhere else: any other address may be a stranger's.
func (o *exportOptions) findSource() (source, error) {
	s, err := o.chooseSource()
	if err == nil && o.token == "" && s.url != "" {
		s.tokenFile = filepath.Join(s.folder, "token")
		o.token, err = keptToken(s.tokenFile)
		s.noToken = o.token == ""
	}
	return s, err
}

func (o *exportOptions) chooseSource() (source, error) {
	if o.hub != "" && o.token != "" {
		return source{url: strings.TrimSuffix(o.hub, "/")}, nil
	}
	found := []source{}
	if o.data != "" {
		if !isFolder(o.data) {
			return source{}, fmt.Errorf("--data %q: there is no such folder (name the data folder of a hub, of a demo or of attach)", o.data)
		}
		found = append(found, sourceIn(o.data))
	}
	switch {
	case o.hub != "":
		return o.namedSource(found)
	case o.data != "":
		return found[0], nil
	}
	return o.usualSource()
}

// sourceIn is that of a data folder: a hub's, or a demo's, which has a hub's.
func sourceIn(folder string) source {
	if inner := filepath.Join(folder, "hub"); isFolder(inner) {
		folder = inner
	}
	return source{url: hubAddress(folder), folder: folder}
}

// namedSource is the hub at --hub, if it is the one that runs in a folder: of
// those given, else of the usual ones.
func (o *exportOptions) namedSource(in []source) (source, error) {
	where := "the data folder"
	if len(in) == 0 {
		where = "any usual data folder"
		for _, folder := range usualFolders() {
			in = append(in, sourceIn(folder))
		}
	}
	for _, s := range in {
		if s.url != "" && sameHub(s.url, o.hub) {
			return s, nil
		}
	}
	return source{}, fmt.Errorf("--hub %s: it is not the hub that runs in %s, so no kept token is sent there "+
		"(give its presenter's token in TRACER_TOKEN or with --token, or leave --hub out and name the folder of a hub that runs with --data)", o.hub, where)
}

// sameHub says whether two addresses are the same; all names of this machine are.
func sameHub(one, other string) bool {
	a, errA := url.Parse(one)
	b, errB := url.Parse(other)
	return errA == nil && errB == nil && a.Scheme == b.Scheme && portOf(a) == portOf(b) &&
		(strings.EqualFold(a.Hostname(), b.Hostname()) || server.IsLoopback(a.Hostname()) && server.IsLoopback(b.Hostname()))
}

func portOf(u *url.URL) string {
	return or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// usualSource is the hub that runs in one of the default data folders. Where none
// does it is the folder that was written to last; with a token that was given, the
// hub at the default address is asked first.
func (o *exportOptions) usualSource() (source, error) {
	running, newest := usualHubs()
	switch {
	case len(running) == 1:
		return running[0], nil
	case len(running) > 1:
		return source{}, tooMany(running)
	case o.token != "":
		newest.url = defaultHub
	case newest.folder == "":
		return source{}, errors.New("no hub runs in a usual data folder, and none has a history: name a hub's folder with --data, or its address with --hub and its token in TRACER_TOKEN")
	}
	return newest, nil
}

// usualHubs are the hubs that run in the default data folders, and the one of these
// folders that was written to last.
func usualHubs() (running []source, newest source) {
	last := int64(0)
	for _, folder := range usualFolders() {
		s := sourceIn(folder)
		if s.url != "" {
			running = append(running, s)
		}
		if info, err := os.Stat(filepath.Join(s.folder, "head")); err == nil && info.ModTime().UnixNano() > last {
			newest.folder, last = s.folder, info.ModTime().UnixNano()
		}
	}
	return running, newest
}

func tooMany(running []source) error {
	said := ""
	for _, s := range running {
		said += fmt.Sprintf("\n  --data '%s'   (%s)", s.folder, s.url)
	}
	return fmt.Errorf("%d hubs run: choose one with --data:%s", len(running), said)
}

// usualFolders are the default data folders of serve, demo and attach.
func usualFolders() (folders []string) {
	for _, name := range []string{"hub", "demo"} {
		if folder, err := dataFolder(name); err == nil {
			folders = append(folders, folder)
		}
	}
	if attached, err := dataFolder("attach"); err == nil {
		entries, _ := os.ReadDir(attached) // there is none before the first attach
		for _, e := range entries {
			folders = append(folders, filepath.Join(attached, e.Name()))
		}
	}
	return folders
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func checkHubURL(flag, value string) error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return usagef("--%s %q: not a hub's address (give http://host:port or https://host:port)", flag, value)
	}
	return nil
}

// query is the window as the hub takes it.
func (o *exportOptions) query() string {
	w, q := o.window(), url.Values{}
	if o.gzip {
		q.Set("gzip", "true")
	}
	for name, at := range map[string]int64{"since": w.Since, "until": w.Until} {
		if at != 0 {
			q.Set(name, strconv.FormatInt(at, 10))
		}
	}
	q["controller"] = w.Controllers
	return q.Encode()
}

// fromHub copies what a hub answers.
func (o *exportOptions) fromHub(ctx context.Context, from source, to *countingWriter, p *progress) (recording.Counts, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from.url+"/api/v1/export?"+o.query(), nil)
	if err != nil {
		return recording.Counts{}, err
	}
	req.Header.Set("Authorization", "Bearer "+o.token)
	req.Header.Set("Accept-Encoding", "identity") // what comes is the file
	res, err := (&http.Client{Transport: exportTransport()}).Do(req)
	if err != nil {
		return recording.Counts{}, fmt.Errorf("asking the hub: %w (start it, or name another with --hub)", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return recording.Counts{}, hubRefusal(from, res)
	}
	to.tell = func() { p.tell(0, to.n) }
	if _, err := io.Copy(to, res.Body); err != nil {
		return recording.Counts{}, fmt.Errorf("the hub broke off after %s: %w (see its log, and try again)", bytesSaid(to.n), err)
	}
	return trailers(res.Trailer)
}

// answerWithin is how long a hub may take until it begins to answer.
const answerWithin = 30 * time.Second

// exportTransport waits for the end of an answer as long as it takes, but not for its
// beginning.
func exportTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = answerWithin
	return t
}

// trailers reads what the hub says that it has sent.
func trailers(t http.Header) (c recording.Counts, err error) {
	for _, f := range []struct {
		name string
		into *int64
	}{{server.TrailerRequests, &c.Requests}, {server.TrailerSpans, &c.Spans}, {server.TrailerLogs, &c.Logs}} {
		if *f.into, err = strconv.ParseInt(t.Get(f.name), 10, 64); err != nil {
			return c, errors.New("the hub did not say that it has sent all of it: is something between that drops trailers? Ask it directly, with --hub")
		}
	}
	return c, nil
}

// hubRefusal says why a hub does not answer as it should, and what to do.
func hubRefusal(from source, res *http.Response) error {
	hub := from.url
	body, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	var said struct{ Error string }
	if json.Unmarshal(body, &said) != nil || said.Error == "" {
		return fmt.Errorf("%s answers %s, and not as a hub: name a hub with --hub, or its data folder with --data", hub, res.Status)
	}
	if res.StatusCode == http.StatusUnauthorized && from.noToken {
		return fmt.Errorf("%s needs the presenter's token, and %s is not there: the hub was given one when it was started (give it with --token or TRACER_TOKEN)", hub, from.tokenFile)
	}
	if res.StatusCode == http.StatusUnauthorized && from.tokenFile != "" {
		return fmt.Errorf("%s does not take the token in %s: the hub was started with another one, or has another data folder (give its presenter's token with --token or TRACER_TOKEN, or its folder with --data)", hub, from.tokenFile)
	}
	if res.StatusCode == http.StatusUnauthorized {
		return fmt.Errorf("%s does not take the token: give the presenter's with --token or TRACER_TOKEN; it is in the file token of the hub's data folder", hub)
	}
	return fmt.Errorf("%s: %s", hub, said.Error)
}

// isAbsent says that nobody listens at an address.
func isAbsent(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && dial.Op == "dial"
}

// countingWriter counts bytes.
type countingWriter struct {
	to   io.Writer
	n    int64
	tell func() // after each write; nil is nobody
}

// Write implements io.Writer.
func (w *countingWriter) Write(data []byte) (int, error) {
	n, err := w.to.Write(data)
	w.n += int64(n)
	if w.tell != nil {
		w.tell()
	}
	return n, err
}

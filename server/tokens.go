package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// secret is a token. It prints as nothing, so that no log can hold it.
type secret struct{ value string }

// String implements fmt.Stringer.
func (secret) String() string { return "[token]" }

// GoString implements fmt.GoStringer.
func (secret) GoString() string { return "[token]" }

// is compares in constant time, by digests, so that the length does not show
// either.
func (s secret) is(token string) bool {
	a, b := sha256.Sum256([]byte(s.value)), sha256.Sum256([]byte(token))
	return token != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// cookie derives what a browser keeps: it opens a session and is not the token.
func (s secret) cookie() string { return s.sign("tracer session 1") }

// sign proves that a text is from who has the secret.
func (s secret) sign(text string) string {
	mac := hmac.New(sha256.New, []byte(s.value))
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// minToken and maxToken are the shortest and the longest token, in characters.
const (
	minToken = 16
	maxToken = 256
)

// Tokens are a hub's, "" where one is not given.
type Tokens struct{ Presenter, Ingest, Viewer, Control string }

// CheckTokens finds tokens that cannot be used, and two that are the same: each
// opens what no other may. It repeats none of them: what it says ends up in logs.
func CheckTokens(t Tokens) error { return t.check(TokenFault) }

// CheckSent is CheckTokens for who sends tokens to a hub, which alone says how long
// they have to be.
func CheckSent(t Tokens) error { return t.check(formFault) }

func (t Tokens) check(fault func(string) string) error {
	form := func(flag, variable, token string) error {
		return faulty("--"+flag+", or "+variable+",", fault(token))
	}
	return errors.Join(form("token", "TRACER_TOKEN", t.Presenter), form("ingest-token", "TRACER_INGEST_TOKEN", t.Ingest),
		form("viewer-token", "TRACER_VIEWER_TOKEN", t.Viewer), form("control-token", "TRACER_CONTROL_TOKEN", t.Control), t.checkApart())
}

func (t Tokens) checkApart() error {
	same := func(one string, others ...string) bool { return one != "" && slices.Contains(others, one) }
	switch {
	case same(t.Control, t.Presenter, t.Ingest):
		return errors.New("--control-token is the same as another token: what may send spans must not be able to pose as a controller (give three)")
	case same(t.Ingest, t.Presenter):
		return errors.New("--token and --ingest-token are the same: a controller must not be able to act as the presenter (give two)")
	case same(t.Viewer, t.Presenter, t.Ingest, t.Control):
		return errors.New("--viewer-token is the same as another token: a viewer must not be able to act as somebody else (give another one)")
	}
	return nil
}

func faulty(name, fault string) error {
	if fault == "" {
		return nil
	}
	return fmt.Errorf("%s %s", name, fault)
}

// TokenFault says what is wrong with a token and what to do, or "".
func TokenFault(token string) string {
	fault := formFault(token)
	if fault == "" && token != "" && len(token) < minToken {
		return fmt.Sprintf("is shorter than %d characters, and could be guessed (make one with: openssl rand -hex 16)", minToken)
	}
	return fault
}

func formFault(token string) string {
	if len(token) > maxToken {
		return fmt.Sprintf("is longer than %d characters: it has %d (give a shorter one)", maxToken, len(token))
	}
	for _, r := range token {
		if r <= ' ' || r > '~' {
			return fmt.Sprintf("has a character that a header cannot carry (give printable ASCII without spaces, %d to %d characters)", minToken, maxToken)
		}
	}
	return ""
}

// Kept are the files, by their whole names, that keep a hub's tokens for
// controllers; "" where it has another one, which somebody chose.
type Kept struct{ Ingest, Control string }

// KeptIn says which of these tokens are kept in a data folder.
func KeptIn(data, ingest, control string) Kept {
	file := func(name, token string) string {
		file, err := filepath.Abs(filepath.Join(data, name))
		if err != nil {
			return ""
		}
		kept, err := os.ReadFile(file)
		if err != nil || token == "" || strings.TrimSpace(string(kept)) != token {
			return ""
		}
		return file
	}
	return Kept{file(ingestFile, ingest), file(controlFile, control)}
}

// loadToken returns the given token or secret, or the one kept in the folder's
// file, which it makes at the first start.
func loadToken(given, dir, name string) (secret, error) {
	if given != "" {
		return secret{given}, nil
	}
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if token := strings.TrimSpace(string(data)); err == nil && token != "" {
		return secret{token}, faulty("the token in "+path, TokenFault(token))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return secret{}, fmt.Errorf("reading the token: %w", err)
	}
	token := rand.Text()
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return secret{}, fmt.Errorf("keeping the token: %w", err)
	}
	return secret{token}, nil
}

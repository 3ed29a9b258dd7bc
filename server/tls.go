package server

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
)

// loadTLS reads a certificate and its key, which the flags name.
func loadTLS(certFlag, cert, keyFlag, key string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s cannot be used: %w: name a certificate and its key, in PEM", certFlag, keyFlag, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// openTLS reads the certificates of both listeners. That of the presenter's is
// the viewers' too, unless they have one of their own.
func (h *Hub) openTLS() (err error) {
	if h.cfg.TLSCert != "" {
		if h.tls, err = loadTLS("--tls-cert", h.cfg.TLSCert, "--tls-key", h.cfg.TLSKey); err != nil {
			return err
		}
	}
	h.shareTLS = h.tls
	if h.cfg.ShareTLSCert != "" {
		h.shareTLS, err = loadTLS(shareCertFlag, h.cfg.ShareTLSCert, shareKeyFlag, h.cfg.ShareTLSKey)
	}
	return err
}

// tlsOf is what the listener speaks that a request came by, nil for plain HTTP.
func (h *Hub) tlsOf(r *http.Request) *tls.Config {
	if shared(r) {
		return h.shareTLS
	}
	return h.tls
}

// The flags of the viewers' own certificate.
const (
	shareCertFlag = "--share-tls-cert"
	shareKeyFlag  = "--share-tls-key"
)

// CheckShareTLS finds what is wrong with the flags of the viewers' certificate,
// before the files are looked at.
func CheckShareTLS(share, cert, key string) error {
	switch {
	case (cert == "") != (key == ""):
		return errors.New(shareCertFlag + " and " + shareKeyFlag + " go together: give both or none")
	case cert != "" && share == "":
		return errors.New(shareCertFlag + " is for viewers, who are not let in: give --share too, or leave the certificate out")
	}
	return nil
}

// ShareCertificate is the certificate that viewers are to be shown, nil where no
// files are named.
func ShareCertificate(cert, key string) (*x509.Certificate, error) {
	if cert == "" {
		return nil, nil
	}
	config, err := loadTLS(shareCertFlag, cert, shareKeyFlag, key)
	return leafOf(config), err
}

// leafOf is the certificate that others are shown, nil in plain HTTP.
func leafOf(config *tls.Config) *x509.Certificate {
	if config == nil {
		return nil
	}
	return config.Certificates[0].Leaf
}

package httpc

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"omniexpect/internal/fault"
)

// addAuthorities makes config trust the certificates in a PEM file besides the system's.
func addAuthorities(config *tls.Config, file string) error {
	if file == "" {
		return nil
	}
	pem, err := readFile("CA file", file)
	if err != nil {
		return err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return fault.New(fault.Env, "CA file %s: holds no PEM certificate", file)
	}
	config.RootCAs = pool
	return nil
}

// addCertificate makes config identify the client. One file may hold both the certificate and its key.
func addCertificate(config *tls.Config, certFile, keyFile string) error {
	if certFile == "" && keyFile == "" {
		return nil
	}
	if certFile == "" {
		return fault.New(fault.Usage, "client key %s: a key without a certificate: give the certificate's file too", keyFile)
	}
	if keyFile == "" {
		keyFile = certFile
	}
	cert, err := readFile("client certificate", certFile)
	if err != nil {
		return err
	}
	key, err := readFile("client key", keyFile)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fault.New(fault.Env, "client certificate %s: %v", certFile, plainReason(err))
	}
	config.Certificates = []tls.Certificate{pair}
	return nil
}

func readFile(what, path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fileFault(what, path, err)
	}
	return data, nil
}

// fileFault names a file once: the errors of package os repeat the operation and the path.
func fileFault(what, path string, err error) error {
	return fault.New(fault.Env, "%s %s: %w", what, path, fault.Reason(err))
}

"""A throw-away certificate authority and the identities of a control plane."""

import datetime
import ipaddress
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFETIME = datetime.timedelta(days=365)


@dataclass(frozen=True)
class Identity:
    """A certificate and its private key, both PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """Signs the certificates of one control plane; its key is never written down."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "controlplane-ca")])
        constraint = x509.BasicConstraints(ca=True, path_length=0)
        builder = self._builder(self._name, self._key).add_extension(constraint, critical=True)
        self.certificate = _pem(builder.sign(self._key, hashes.SHA256()))

    def client(self, user: str, groups: tuple[str, ...] = ()) -> Identity:
        """Return a client certificate: the API server reads CN as user, each O as a group."""
        names = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
        names.append(x509.NameAttribute(NameOID.COMMON_NAME, user))
        return self._issue(x509.Name(names), ExtendedKeyUsageOID.CLIENT_AUTH, ())

    def server(self, hosts: tuple[str, ...]) -> Identity:
        """Return a serving certificate for `hosts`, each an IP address or a DNS name."""
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0])])
        return self._issue(name, ExtendedKeyUsageOID.SERVER_AUTH, hosts)

    def _issue(
        self, subject: x509.Name, usage: x509.ObjectIdentifier, hosts: tuple[str, ...]
    ) -> Identity:
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(subject, key)
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        if hosts:
            names = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
            builder = builder.add_extension(names, critical=False)
        return Identity(_pem(builder.sign(self._key, hashes.SHA256())), private_pem(key))

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey
    ) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(minutes=5))
            .not_valid_after(now + LIFETIME)
        )


def signing_key() -> Identity:
    """Return a key pair for ServiceAccount tokens; the public key is in `certificate`."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return Identity(public, private_pem(key))


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return `key` as unencrypted PEM."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)

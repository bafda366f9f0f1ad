//! [`Network`]: a range of IP addresses, as `web.trusted_proxies` lists them.

use std::fmt;
use std::net::IpAddr;

/// An IP address, or a network: `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`.
///
/// ```
/// use tent::settings::Network;
/// let network = Network::parse("10.0.0.0/8")?;
/// assert!(network.contains("10.1.2.3".parse().unwrap()));
/// assert!(!network.contains("192.0.2.1".parse().unwrap()));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    /// Parses an address, or an address and the length of its prefix.
    ///
    /// # Errors
    /// The problem, as the end of a sentence that starts with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected =
            || "is not an IP address or a network: use for example 192.0.2.1 or 10.0.0.0/8";
        let (address, prefix) = match text.trim().split_once('/') {
            None => (text.trim(), None),
            Some((address, prefix)) => (address, Some(prefix)),
        };
        let address: IpAddr = address.parse().map_err(|_| expected())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => Some(most),
            Some(prefix) => prefix.parse().ok().filter(|&prefix| prefix <= most),
        };
        let prefix = prefix.ok_or_else(|| format!("has a prefix over {most}"))?;
        // A connection from an IPv4-mapped address counts as one from the IPv4 address.
        match (address, address.to_canonical()) {
            (IpAddr::V6(_), canonical @ IpAddr::V4(_)) if prefix >= 96 => Ok(Network {
                address: canonical,
                prefix: prefix - 96,
            }),
            _ => Ok(Network { address, prefix }),
        }
    }

    /// Whether the address is in the network. An IPv4-mapped address counts as the IPv4 address.
    pub fn contains(&self, address: IpAddr) -> bool {
        let differs_at = match (self.address, address.to_canonical()) {
            (IpAddr::V4(ours), IpAddr::V4(other)) => {
                (ours.to_bits() ^ other.to_bits()).leading_zeros()
            }
            (IpAddr::V6(ours), IpAddr::V6(other)) => {
                (ours.to_bits() ^ other.to_bits()).leading_zeros()
            }
            _ => return false,
        };
        differs_at >= u32::from(self.prefix)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_contains_the_addresses_of_its_prefix() {
        for (network, inside, outside) in [
            ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.1"),
            ("10.9.9.9/8", "10.0.0.1", "11.0.0.1"),
            ("0.0.0.0/0", "203.0.113.9", "::1"),
            ("2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::1"),
            ("::ffff:10.0.0.0/104", "10.1.1.1", "11.0.0.1"),
            ("10.0.0.1", "::ffff:10.0.0.1", "::ffff:10.0.0.2"),
        ] {
            let parsed = Network::parse(network).expect("a network");
            let contains = |text: &str| parsed.contains(text.parse().expect("an address"));
            assert!(contains(inside) && !contains(outside), "{network}");
        }
        for bad in [
            "",
            "proxy.example.com",
            "10.0.0.0/33",
            "10.0.0.0/",
            "::/129",
            "10.0.0",
        ] {
            assert!(Network::parse(bad).is_err(), "{bad}");
        }
    }
}

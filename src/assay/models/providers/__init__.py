"""Who can be asked, one provider a file; contracts in `assay.models.base`."""

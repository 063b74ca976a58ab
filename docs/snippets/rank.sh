cat > votes.csv <<'END'
a,b,outcome,rater
pi0,act,a,ann
act,pi0,b,bob
pi0,act,b,cem
act,octo,a,ann
octo,act,tie,bob
act,octo,a,cem
octo,act,a,dee
octo,pi0,b,ann
pi0,octo,a,bob
octo,pi0,a,dee
END
assay rank votes.csv --out ranking
assay rank votes.csv --ties davidson --format md

# DETEST C3: the heat equation on n inner points of a rod, one end warm at the start.
# Hull et al., SIAM J. Numer. Anal. 9 (1972) 603-637; Veigend, PhD thesis (Brno 2023), app. E.10.
param n = 10

y[1]' = -2*y[1] + y[2]
for k in 2..n-1: y[k]' = y[k-1] - 2*y[k] + y[k+1]
y[n]' = y[n-1] - 2*y[n]

init y[1] = 1
for k in 2..n: init y[k] = 0

# the exact y[1] is a sum over the eigenvectors of the matrix; s[k] is the sum of the first k terms
s[1] = 2/(n+1)*sin(pi/(n+1))^2*exp(-4*sin(pi/2/(n+1))^2*t)
for k in 2..n: s[k] = s[k-1] + 2/(n+1)*sin(k*pi/(n+1))^2*exp(-4*sin(k*pi/2/(n+1))^2*t)

output error1 = y[1] - s[n]
run 0 .. 20

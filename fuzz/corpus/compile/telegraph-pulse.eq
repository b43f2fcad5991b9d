# A telegraph line with matched ends: a pulse arrives after S*sqrt(L*C) and is swallowed.
# Veigend, PhD thesis (Brno 2023), sec. 4.4 (4.33)-(4.36); shape, width and height of the pulse are chosen here.
param S  = 100                              # segments
param C  = 1e-12 [F], L = 1e-8 [H]          # of each segment
param R1 = 100 [Ohm], R2 = 100 [Ohm]
param U0 = 1 [V], tp = 2e-9 [s]
input u0 = U0*pulse(t, tp) [V]

i[1]' = (u0 - u[1] - R1*i[1])/L
for k in 2..S:   i[k]' = (u[k-1] - u[k])/L
for k in 1..S-1: u[k]' = (i[k] - i[k+1])/C
u[S]' = (i[S] - u[S]/R2)/C

for k in 1..S: init i[k] = 0 [A], u[k] = 0 [V]
output u_first = u[1] [V]
output u_last  = u[S] [V]
run 0 .. 2*S*sqrt(L*C)

# Two springs with a massless node between them, index 1, and the force that keeps them at rest.
# Königsmarková, report 2014V005, sec. 5.2 (27).
param k1 = 5 [N/m], k2 = 10 [N/m], M = 0.2 [kg]
param x0 = 1 [m]
input u = k1*k2/(k1 + k2)*x0 [N]

x2' = v2
v2' = k2/M*x1 - k2/M*x2 + u/M
0   = -(k1 + k2)*x1 + k2*x2

init x2 = x0 [m], v2 = 0 [m/s]
guess x1 = 2/3*x0 [m]
output error = x2 - x0 [m]
run 0 .. 5
